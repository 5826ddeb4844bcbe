import type { Nano } from '../../api'
import { KeptCell, keptShare, triple } from '../../components/kept'
import { Part } from '../../components/money'
import { RouteChip, type Way } from '../../components/route'
import { count, visible } from '../../format'
import { params, setParams, withParams } from '../../router'
import { rowsAt } from '../../rows'
import type { Sums } from '../../types'
import { add } from '../../words'
import { groupings, rowsOf, type Grouping } from './groups'
import type { Group, ImpactData } from './impact'

interface Column {
  id: string
  name: string
  of: (s: Sums) => Nano
}

const columns: Column[] = [
  { id: 'requests', name: 'Requests', of: (s) => s.requests },
  { id: 'routed', name: 'Routed', of: (s) => s.routed_nano_usd },
  { id: 'default', name: 'Default', of: (s) => s.baseline_nano_usd },
  { id: 'kept', name: 'Kept', of: (s) => s.kept_nano_usd },
]

/** The sums by group, down to the last digit, with the whole below. */
export function Breakdown({ data, by, scope }: { data: ImpactData; by: Grouping; scope: { filter: string; range: string } }) {
  const [id, up] = (params.value.get('sort') ?? '').split('.')
  const sort = columns.find((c) => c.id === id)
  const groups = sort ? sorted(data.groups, sort, up === 'up') : data.groups
  const unpriced = data.unpriced > 0
  return (
    <section class="stack" aria-labelledby="breakdown-head">
      <h2 id="breakdown-head">By {by.by === 'day' ? 'day of UTC' : by.name.toLowerCase()}</h2>
      <nav class="by" aria-label="Break down by">
        {groupings.map((g) => <a key={g.by} href={withParams({ by: g === groupings[0] ? null : g.by })} aria-current={g === by ? 'true' : undefined}>{g.name}</a>)}
      </nav>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of the breakdown">
        <table class="table impact">
          <thead>
            <tr>
              <th scope="col">{by.by === 'day' ? 'Day, UTC' : by.name}</th>
              {columns.map((c) => <Head key={c.id} column={c} sort={sort === c ? (up === 'up' ? 'ascending' : 'descending') : undefined} />)}
              <th scope="col" class="num">Kept&nbsp;%</th>
              {unpriced ? <th scope="col" class="num">Unpriced</th> : null}
            </tr>
          </thead>
          <tbody>
            {groups.map((g) => <Line key={g.other ? '*' : g.group} g={g} by={by} at={rowsOf(g, by, data, scope)} unpriced={unpriced} />)}
          </tbody>
          <tfoot>
            <tr><td class="group"><a href={rowsAt(scope.filter, scope.range)}>All</a></td><Figures of={data} />{unpriced ? <td class="num"><a href={rowsAt(add(scope.filter, 'is:unpriced'), scope.range)}>{count(data.unpriced)}</a></td> : null}</tr>
          </tfoot>
        </table>
      </div>
    </section>
  )
}

function sorted(groups: Group[], c: Column, up: boolean): Group[] {
  return [...groups].sort((a, b) => {
    const x = BigInt(c.of(a)), y = BigInt(c.of(b))
    return (x < y ? 1 : x > y ? -1 : 0) * (up ? -1 : 1)
  })
}

function Head({ column: c, sort }: { column: Column; sort: 'ascending' | 'descending' | undefined }) {
  const next = sort === 'descending' ? c.id + '.up' : sort === 'ascending' ? null : c.id
  return (
    <th scope="col" class="num" aria-sort={sort}>
      <button type="button" onClick={() => setParams({ sort: next }, 'replace')}>{c.name}{sort === 'descending' ? ' ↓' : sort ? ' ↑' : ''}</button>
    </th>
  )
}

function Line({ g, by, at, unpriced }: { g: Group; by: Grouping; at: string | null; unpriced: boolean }) {
  const name = g.other ? 'All smaller ones' : visible(g.name || g.group || by.none)
  const shown = by.by === 'route' ? <RouteChip way={(g.group as Way) ?? 'error'} more={g.group ? null : by.none.toLowerCase()} /> : name
  return (
    <tr>
      <td class="group">{at === null ? shown : <a href={at}>{shown}</a>}</td>
      <Figures of={g} />
      {unpriced ? <td class="num">{count(g.unpriced)}</td> : null}
    </tr>
  )
}

function Figures({ of }: { of: Sums }) {
  return (
    <>
      <td class="num requests-of">{count(of.requests)}</td>
      <td class="num routed"><Part of={triple(of)} which="routed" /></td>
      <td class="num default"><Part of={triple(of)} which="baseline" /></td>
      <td class="num kept-of"><KeptCell of={of} /></td>
      <td class="num share">{keptShare(of)}</td>
    </>
  )
}
