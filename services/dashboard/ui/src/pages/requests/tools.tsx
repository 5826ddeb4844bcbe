// The tools above the request list: saved views, order, columns and export. Their code is loaded after
// the list.
import { useRef } from 'preact/hooks'
import { Popover } from '../../components/controls'
import { currentRange } from '../../range'
import { buildURL, params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import { columns, defaultColumns } from './columns'
import { currentSort, isNewestFirst, setSort, type Sort } from './sort'
import { Views } from './views'

export function Tools({ shown }: { shown: string[] }) {
  return (
    <>
      <Views />
      <SortMenu />
      <Columns shown={shown} />
      <Export />
    </>
  )
}

const orders: readonly (readonly [string, string, string])[] = [
  ['time', 'Newest first', 'Oldest first'],
  ['cost', 'Highest cost first', 'Lowest cost first'],
  ['saved', 'Most saved first', 'Least saved first'],
  ['latency', 'Slowest first', 'Fastest first'],
  ['ttft', 'Latest first token first', 'Earliest first token first'],
  ['tokens', 'Most tokens first', 'Fewest tokens first'],
]

/** The name of an order. */
export function sortName(s: Sort): string {
  const found = orders.find(([by]) => by === s.by)
  return found ? found[s.ascending ? 2 : 1] : s.by
}

function SortMenu() {
  const now = currentSort()
  const content = useRef<HTMLDivElement>(null)
  const panel = () => content.current!.parentElement!
  useShortcuts([{ key: 's', description: 'Sort the requests', run: () => panel().showPopover() }])
  const choose = (s: Sort) => {
    panel().hidePopover()
    setSort(s)
  }
  return (
    <Popover content={isNewestFirst(now) ? 'Sort' : sortName(now)} label={`Sort: ${sortName(now)}`}>
      <div class="menu" role="group" aria-label="Order" ref={content}>
        {orders.flatMap(([by]) => [false, true].map((ascending) => {
          const chosen = now.by === by && now.ascending === ascending
          return <button key={by + ascending} type="button" aria-pressed={chosen} autofocus={chosen} onClick={() => choose({ by, ascending })}>{sortName({ by, ascending })}</button>
        }))}
        {now.by === 'time' ? null : <p class="meta">Requests without this number are left out.</p>}
      </div>
    </Popover>
  )
}

function Columns({ shown }: { shown: string[] }) {
  const set = (id: string, on: boolean) => {
    const next = columns.map((c) => c.id).filter((c) => (c === id ? on : shown.includes(c)))
    setParams({ cols: next.join() === defaultColumns.join() ? null : next.join() }, 'replace')
  }
  return (
    <Popover content="Columns" label="Columns">
      <div class="menu" role="group" aria-label="Columns">
        {columns.map((c) => (
          <label key={c.id}><input type="checkbox" checked={shown.includes(c.id)} onChange={(e) => set(c.id, e.currentTarget.checked)} /> {c.name}</label>
        ))}
      </div>
    </Popover>
  )
}

function Export() {
  const { from, to } = currentRange()
  const at = (format: string, what = '') => '/api/v1' + buildURL('/requests/export' + what, { format, filter: params.value.get('q'), from, to: to ?? new Date().toISOString() })
  return (
    <Popover content="Export" label="Export">
      <div class="menu">
        <a href={at('csv')} download="requests.csv">CSV</a>
        <a href={at('ndjson')} download="requests.ndjson">NDJSON</a>
        <a href={at('ndjson', '/manifest')} download="requests.ndjson.manifest">Checksums for NDJSON</a>
      </div>
    </Popover>
  )
}
