import { useLast } from '../../api'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { plural } from '../../format'
import { address } from '../../router'
import { narrow, rowsAt } from '../../rows'
import { add } from '../../words'
import type { Group, ImpactData } from './impact'

const most = 5

/** Requests that cost more than their default, by the model that served them. */
export function Losses({ scope, query }: { scope: { filter: string; range: string }; query: Record<string, string | null> }) {
  const filter = add(scope.filter, 'kept:<0')
  const loaded = useLast<ImpactData>(address('/impact', { group_by: 'model', filter, ...query }))
  return (
    <section class="stack" aria-labelledby="losses">
      <h2 id="losses">Where routing lost money</h2>
      <Await of={loaded} rows={2}>
        {(d) => d.requests === 0 ? <p class="soft">Nowhere: no request cost more than its default model would have.</p> : (
          <ul class="matters losses">
            {worst(d.groups).map((g) => <Loss key={g.group} g={g} at={narrow(filter, 'model', g.group)} range={scope.range} />)}
          </ul>
        )}
      </Await>
    </section>
  )
}

function worst(groups: Group[]): Group[] {
  return groups.filter((g) => !g.other).sort((a, b) => (a.kept_nano_usd < b.kept_nano_usd ? -1 : 1)).slice(0, most)
}

function Loss({ g, at, range }: { g: Group; at: string | null; range: string }) {
  return (
    <li>
      <b class="lost"><Total nano={-BigInt(g.kept_nano_usd)} /></b>
      <span>more by {g.group ?? 'attempts that nobody finished'}</span>
      {at === null ? null : <a class="button small" href={rowsAt(at, range)}>See {plural(g.requests, 'request')}</a>}
    </li>
  )
}
