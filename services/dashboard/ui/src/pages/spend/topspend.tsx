// What cost most on the overview: keys, models, users and client programs.
import { useApiWithPrevious } from '../../api'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Group } from '../impact/types'
import type { Scope } from './types'

interface TopSpendData {
  keys: Group[]
  models: Group[]
  /** null if the range has too many requests. */
  users: Group[] | null
  agents: Group[] | null
}

const lists = [['keys', 'key', 'Keys'], ['models', 'model', 'Models'], ['users', 'user', 'Users'], ['agents', 'agent', 'Clients']] as const

export function TopSpend({ scope, query }: { scope: Scope; query: Record<string, string | null> }) {
  const loaded = useApiWithPrevious<TopSpendData>(buildURL('/spend/top', { filter: scope.filter, ...query }))
  return (
    <section class="stack" aria-labelledby="top-spend">
      <h2 id="top-spend">Top spend</h2>
      <Await of={loaded} rows={3}>
        {(d) => (
          <>
            <div class="toplists">
              {lists.map(([name, by, title]) => (d[name]?.length ? <TopList key={name} title={title} by={by} groups={d[name]} scope={scope} /> : null))}
            </div>
            {d.users && d.agents ? null : <p class="soft">This range has too many requests to list users and clients. Choose a shorter one.</p>}
          </>
        )}
      </Await>
    </section>
  )
}

function TopList({ title, by, groups, scope }: { title: string; by: string; groups: Group[]; scope: Scope }) {
  const most = groups.reduce((n, g) => Math.max(n, Number(g.routed_nano_usd)), 0)
  return (
    <div>
      <h3><a href={buildURL('/spend', { by: by === 'key' ? null : by, q: scope.filter, range: scope.range })}>{title}</a></h3>
      <ol>
        {groups.map((g) => {
          const filter = narrowFilter(scope.filter, by, g.group)
          const name = escapeInvisible(g.name || g.group!)
          return (
            <li key={g.group} title={pluralize(g.requests, 'request')}>
              {filter === null ? <span>{name}</span> : <a href={requestsURL(filter, scope.range)}>{name}</a>}
              <Total nano={g.routed_nano_usd} />
              <span class="bar" aria-hidden="true"><span ref={(el) => { if (el) el.style.width = `${most === 0 ? 0 : (100 * Number(g.routed_nano_usd)) / most}%` }} /></span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
