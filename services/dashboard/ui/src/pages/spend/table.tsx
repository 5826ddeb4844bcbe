import type { ComponentChildren } from 'preact'
import type { Nano } from '../../api'
import { Total } from '../../components/money'
import { formatCount } from '../../format'
import { formatPerThousand, formatShare } from '../../money'
import { narrowFilter, requestsURL, sessionURL } from '../../requestlinks'
import { params, setParams, withParams } from '../../router'
import type { Sums } from '../../types'
import type { Grouping } from '../impact/groups'
import { groupName } from './steps'
import type { GroupLabel, Scope, SpendData, SpendGroup } from './types'

const columns = [
  { id: 'cost', name: 'Cost', value: (s: Sums): Nano => s.routed_nano_usd },
  { id: 'requests', name: 'Requests', value: (s: Sums): Nano => s.requests },
  { id: 'each', name: 'Per 1,000 requests', value: (s: Sums): Nano => (s.requests === 0 ? 0 : (BigInt(s.routed_nano_usd) * 1000n) / BigInt(s.requests)) },
] as const

/** The groups in the order of the sort parameter: by cost unless the URL says otherwise. */
export function sortSpend(groups: SpendGroup[], sort: string | null): SpendGroup[] {
  const [id, up] = (sort ?? 'cost').split('.')
  const column = columns.find((c) => c.id === id) ?? columns[0]
  return [...groups].sort((a, b) => {
    const x = BigInt(column.value(a)), y = BigInt(column.value(b))
    return (x < y ? 1 : x > y ? -1 : 0) * (up ? -1 : 1)
  })
}

/** The cost of each group. Its tooltip is exact. Every number opens its requests, unless there is no scope. */
export function SpendTable({ data: d, by, scope }: { data: SpendData; by: Grouping; scope: Scope | null }) {
  const sort = params.value.get('sort')
  const linkAll = (content: ComponentChildren) => (scope ? <a href={requestsURL(scope.filter, scope.range)}>{content}</a> : content)
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Cost by group">
      <table class="table spendtable">
        <thead>
          <tr>
            <th scope="col">{by.name}</th>
            <Header id="cost" sort={sort} /><th scope="col" class="num share">Share</th><Header id="requests" sort={sort} /><Header id="each" sort={sort} />
          </tr>
        </thead>
        <tbody>{sortSpend(d.groups, sort).map((g) => <Row key={g.other ? '*' : g.group} g={g} by={by} data={d} scope={scope} />)}</tbody>
        <tfoot>
          <tr>
            <td class="group">All</td><td class="num">{linkAll(<Total nano={d.routed_nano_usd} />)}</td><td class="num share" />
            <td class="num">{linkAll(formatCount(d.requests))}</td><td class="num each">{formatPerThousand(d.routed_nano_usd, d.requests)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

function Header({ id, sort }: { id: (typeof columns)[number]['id']; sort: string | null }) {
  const [now, up] = (sort ?? 'cost').split('.')
  const state = now !== id ? undefined : up ? 'ascending' : 'descending'
  const next = state === 'descending' ? id + '.up' : id
  return (
    <th scope="col" class="num" aria-sort={state}>
      <button type="button" onClick={() => setParams({ sort: next === 'cost' ? null : next }, 'replace')}>{columns.find((c) => c.id === id)!.name}{state === 'descending' ? ' ↓' : state ? ' ↑' : ''}</button>
    </th>
  )
}

function Row({ g, by, data, scope }: { g: SpendGroup; by: Grouping; data: SpendData; scope: Scope | null }) {
  const filter = g.other || !scope ? null : narrowFilter(scope.filter, by.by, g.group)
  const link = (content: ComponentChildren) => (filter === null ? content : <a href={requestsURL(filter, scope!.range)}>{content}</a>)
  return (
    <tr>
      <td class="group"><GroupLink g={g} by={by} filter={filter} /></td>
      <td class="num">{link(<Total nano={g.routed_nano_usd} />)}</td>
      <td class="num share">{formatShare(g.routed_nano_usd, data.routed_nano_usd)}</td>
      <td class="num">{link(formatCount(g.requests))}</td>
      <td class="num each">{formatPerThousand(g.routed_nano_usd, g.requests)}</td>
    </tr>
  )
}

/** Opens the session of a group, or narrows the page to the group and splits it further. */
export function GroupLink({ g, by, filter }: { g: GroupLabel; by: Grouping; filter: string | null }) {
  const name = groupName(g, by)
  if (filter === null) return <>{name}</>
  const to = by.by === 'session' && g.group !== null ? sessionURL(g.group) : withParams({ q: filter, by: by.by === 'model' ? null : 'model' })
  return <a href={to} title={by.by === 'session' ? 'Open the session' : `Split by ${by.by === 'model' ? 'key' : 'model'}`}>{name}</a>
}
