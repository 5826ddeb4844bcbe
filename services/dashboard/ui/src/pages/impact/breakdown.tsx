import { useState } from 'preact/hooks'
import type { Nano } from '../../api'
import { CostPart } from '../../components/money'
import { RouteChip, type RouteKind } from '../../components/route'
import { formatSavedShare, SavedCell, toCostTriple } from '../../components/savings'
import { addTerm } from '../../filter'
import { escapeInvisible, formatCount } from '../../format'
import { requestsURL } from '../../requestlinks'
import { params, setParams, withParams } from '../../router'
import type { Sums } from '../../types'
import { type Grouping, groupings, groupRequestsURL } from './groups'
import type { Group, ImpactData } from './types'

interface Column {
  id: string
  name: string
  value: (s: Sums) => Nano
}

export const columns: Column[] = [
  { id: 'requests', name: 'Requests', value: (s) => s.requests },
  { id: 'routed', name: 'Cost', value: (s) => s.routed_nano_usd },
  { id: 'default', name: 'Cost with default model', value: (s) => s.baseline_nano_usd },
  { id: 'saved', name: 'Saved', value: (s) => s.saved_nano_usd },
]

/** The exact sums of each group, with the total in the last row. */
export function Breakdown({ data, by, scope }: { data: ImpactData; by: Grouping; scope: { filter: string; range: string } }) {
  const [id, up] = (params.value.get('sort') ?? '').split('.')
  const sort = columns.find((c) => c.id === id)
  const groups = sort ? sortGroups(data.groups, sort, up === 'up') : data.groups
  const unpriced = data.unpriced > 0
  return (
    <section class="stack" aria-labelledby="breakdown-head">
      <h2 id="breakdown-head">By {by.by === 'day' ? 'day (UTC)' : groupings.includes(by) ? by.name.toLowerCase() : by.name}</h2>
      <nav class="by" aria-label="Break down by">
        {groupings.map((g) => <a key={g.by} href={withParams({ by: g === groupings[0] ? null : g.by })} aria-current={g === by ? 'true' : undefined}>{g.name}</a>)}
        {groupings.includes(by) ? null : <a href={withParams({ by: by.by })} aria-current="true">{by.name}</a>}
        <MetadataGrouping />
      </nav>
      {by.by === 'tag' ? <p class="soft">A request counts in the group of each of its tags, so the groups can add up to more than the total.</p> : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="Breakdown">
        <table class="table impact">
          <thead>
            <tr>
              <th scope="col">{by.by === 'day' ? 'Day (UTC)' : by.name}</th>
              {columns.map((c) => <SortableHeader key={c.id} column={c} sort={sort === c ? (up === 'up' ? 'ascending' : 'descending') : undefined} />)}
              <th scope="col" class="num">Saved&nbsp;%</th>
              {unpriced ? <th scope="col" class="num">Unknown price</th> : null}
            </tr>
          </thead>
          <tbody>
            {groups.map((g) => <GroupRow key={g.other ? '*' : g.group} g={g} by={by} at={groupRequestsURL(g, by, data, scope)} unpriced={unpriced} />)}
          </tbody>
          <tfoot>
            <tr><td class="group"><a href={requestsURL(scope.filter, scope.range)}>All</a></td><Figures of={data} />{unpriced ? <td class="num"><a href={requestsURL(addTerm(scope.filter, 'is:unpriced'), scope.range)}>{formatCount(data.unpriced)}</a></td> : null}</tr>
          </tfoot>
        </table>
      </div>
    </section>
  )
}

/** Groups by a name of request metadata that the user enters. */
export function MetadataGrouping() {
  const [name, setName] = useState('')
  const set = (e: Event) => {
    e.preventDefault()
    if (name.trim()) setParams({ by: 'meta.' + name.trim() })
  }
  return (
    <form onSubmit={set}>
      <label class="sr" for="metadata-name">Group by metadata</label>
      <input id="metadata-name" type="text" value={name} placeholder="Metadata name" autocomplete="off" spellcheck={false} onInput={(e) => setName(e.currentTarget.value)} />
      <button type="submit" class="button small">Group</button>
    </form>
  )
}

export function sortGroups(groups: Group[], c: Column, up: boolean): Group[] {
  return [...groups].sort((a, b) => {
    const x = BigInt(c.value(a)), y = BigInt(c.value(b))
    return (x < y ? 1 : x > y ? -1 : 0) * (up ? -1 : 1)
  })
}

function SortableHeader({ column: c, sort }: { column: Column; sort: 'ascending' | 'descending' | undefined }) {
  const next = sort === 'descending' ? c.id + '.up' : sort === 'ascending' ? null : c.id
  return (
    <th scope="col" class="num" aria-sort={sort}>
      <button type="button" onClick={() => setParams({ sort: next }, 'replace')}>{c.name}{sort === 'descending' ? ' ↓' : sort ? ' ↑' : ''}</button>
    </th>
  )
}

function GroupRow({ g, by, at, unpriced }: { g: Group; by: Grouping; at: string | null; unpriced: boolean }) {
  const name = g.other ? 'All others' : escapeInvisible(g.name || g.group || by.none)
  const shown = by.by === 'route' ? <RouteChip kind={(g.group as RouteKind) ?? 'error'} detail={g.group ? null : by.none.toLowerCase()} /> : name
  return (
    <tr>
      <td class="group">{at === null ? shown : <a href={at}>{shown}</a>}</td>
      <Figures of={g} />
      {unpriced ? <td class="num">{formatCount(g.unpriced)}</td> : null}
    </tr>
  )
}

function Figures({ of }: { of: Sums }) {
  return (
    <>
      <td class="num requests-of">{formatCount(of.requests)}</td>
      <td class="num routed"><CostPart of={toCostTriple(of)} which="routed" /></td>
      <td class="num default"><CostPart of={toCostTriple(of)} which="baseline" /></td>
      <td class="num saved-of"><SavedCell of={of} /></td>
      <td class="num share">{formatSavedShare(of)}</td>
    </>
  )
}
