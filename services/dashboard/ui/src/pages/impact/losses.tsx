import { useApiWithPrevious } from '../../api'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { addTerm } from '../../filter'
import { pluralize } from '../../format'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Group, ImpactData } from './types'

const maxLosses = 5

/** Requests that cost more than their default model would have, grouped by the model that served them. */
export function Losses({ scope, query }: { scope: { filter: string; range: string }; query: Record<string, string | null> }) {
  const filter = addTerm(scope.filter, 'saved:<0')
  const loaded = useApiWithPrevious<ImpactData>(buildURL('/impact', { group_by: 'model', filter, ...query }))
  return (
    <section class="stack" aria-labelledby="losses">
      <h2 id="losses">Where routing was more expensive</h2>
      <Await of={loaded} rows={2}>
        {(d) => d.requests === 0 ? <p class="soft">No request cost more than its default model would have.</p> : (
          <ul class="matters losses">
            {worstGroups(d.groups).map((g) => <LossRow key={g.group} g={g} at={narrowFilter(filter, 'model', g.group)} range={scope.range} />)}
          </ul>
        )}
      </Await>
    </section>
  )
}

function worstGroups(groups: Group[]): Group[] {
  return groups.filter((g) => !g.other).sort((a, b) => (a.saved_nano_usd < b.saved_nano_usd ? -1 : 1)).slice(0, maxLosses)
}

function LossRow({ g, at, range }: { g: Group; at: string | null; range: string }) {
  return (
    <li>
      <b class="lost"><Total nano={-BigInt(g.saved_nano_usd)} /></b>
      <span>more {g.group === null ? 'for requests that no model completed' : `with ${g.group}`}</span>
      {at === null ? null : <a class="button small" href={requestsURL(at, range)}>View {pluralize(g.requests, 'request')}</a>}
    </li>
  )
}
