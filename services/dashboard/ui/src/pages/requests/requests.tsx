// The request log: filter it, follow it live, and view one request beside it.
import { useEffect, useRef } from 'preact/hooks'
import { Popover } from '../../components/controls'
import { FilterBar } from '../../components/filterbar'
import { NoRequests } from '../../components/norequests'
import { RangePicker } from '../../components/rangepicker'
import { ErrorBox, Skeleton } from '../../components/states'
import { VirtualList } from '../../components/virtuallist'
import { pluralize } from '../../format'
import { liveState } from '../../live'
import { currentRange, rangeQuery } from '../../range'
import { buildURL, navigate, params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import { showToast } from '../../toast'
import type { Request } from '../../types'
import { Detail } from '../request/detail'
import { cellClass, type Column, columns, defaultColumns, fitColumns, gridTemplate } from './columns'
import { LiveHistogram } from './livehistogram'
import { useRequestList } from './requestlist'

export function Requests({ rest }: { rest: string }) {
  return rest ? <RequestPage id={rest} /> : <RequestListPage />
}

/** One request at its own URL. */
function RequestPage({ id }: { id: string }) {
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Request</h1><a class="button" href="/requests">All requests</a></div>
      <Detail id={id} />
    </>
  )
}

function RequestListPage() {
  const r = currentRange()
  const filter = params.value.get('q') ?? ''
  const selectedId = params.value.get('sel')
  const live = params.value.get('live') !== 'off'
  const top = useRef(0)
  const { list, loadOlder, reload, showPending } = useRequestList({ filter, range: r }, live, () => top.current > 0 || params.value.get('sel') !== null)
  const l = list.value
  const cols = useColumns()
  const visibleColumns = selectedId || !params.value.has('cols') ? fitColumns(cols, selectedId !== null) : cols
  const hasFilterError = l.error?.details.param === 'filter'
  const move = (step: number) => {
    const i = l.rows.findIndex((x) => x.id === selectedId)
    const next = l.rows[Math.max(0, Math.min(l.rows.length - 1, i + step))]
    if (next) setParams({ sel: next.id }, selectedId ? 'replace' : 'push')
  }
  const showNewest = () => {
    showPending()
    document.querySelector('.requests .vlist')?.scrollTo(0, 0)
  }
  const close = () => setParams({ sel: null }, 'replace')
  useShortcuts([
    { key: 'j', description: 'Next request', run: () => move(1) },
    { key: 'k', description: 'Previous request', run: () => move(-1) },
    { key: 'o', description: 'Open the request on its own page', run: () => params.value.get('sel') && navigate('/requests/' + params.value.get('sel')) },
    { key: 'Escape', description: 'Close the request', run: close },
    { key: 'l', description: 'Turn live updates on or off', run: () => setParams({ live: live ? 'off' : null }) },
  ], [selectedId, live, l.rows])
  return (
    <div class={'requests' + (selectedId ? ' open' : '')}>
      <div class="pagehead">
        <h1 tabIndex={-1}>Requests</h1>
        <RangePicker />
        <LiveButton on={live && r.to === null && !hasFilterError} possible={r.to === null && !hasFilterError} onTurn={() => setParams({ live: live ? 'off' : null })} />
        <Columns shown={cols.map((c) => c.id)} />
        <Export filter={filter} from={r.from} to={r.to} />
      </div>
      <FilterBar error={l.error} />
      {hasFilterError ? null : <LiveHistogram of={{ filter, ...rangeQuery(r) }} liveCount={l.liveCount} reserveSpace={l.rows.length > 0} />}
      {l.error && !hasFilterError ? <ErrorBox error={l.error} onRetry={reload} /> : null}
      {l.pending.length > 0 ? (
        <button type="button" class="button pill" onClick={showNewest}>{l.hasGap ? `More than ${pluralize(l.pending.length, 'new request')}` : pluralize(l.pending.length, 'new request')} ↑</button>
      ) : null}
      {l.rows.length > 0 ? (
        <VirtualList<Request>
          rows={l.rows} id={(x) => x.id} time={(x) => x.time} label="Requests, newest first" selectedId={selectedId}
          columns={gridTemplate(visibleColumns)} {...(params.value.has('cols') ? {} : { class: 'cards' })}
          head={visibleColumns.map((c) => <span key={c.id} role="columnheader" class={`of-${c.id} ${cellClass(c)}`}>{c.heading?.() ?? c.name}</span>)}
          cells={(x) => visibleColumns.map((c) => <span key={c.id} role="gridcell" class={`of-${c.id} ${cellClass(c)}`}>{c.render(x)}</span>)}
          onSelect={(id) => setParams({ sel: id }, selectedId ? 'replace' : 'push')}
          onEnd={loadOlder} busy={l.busy} onScroll={(t) => (top.current = t)}
        />
      ) : l.busy ? <Skeleton rows={12} /> : l.error ? null : <NoRequests />}
      {selectedId ? (
        <aside class="dock" aria-label="Request">
          <Detail id={selectedId} onClose={close} />
        </aside>
      ) : null}
    </div>
  )
}

/** Returns the columns that the URL names, or the default columns. Unknown names are reported and removed from the URL. */
function useColumns(): Column[] {
  const named = (params.value.get('cols') ?? '').split(',').filter((c) => c !== '')
  const known = named.filter((n) => columns.some((c) => c.id === n))
  const unknown = named.filter((n) => !known.includes(n))
  useEffect(() => {
    if (unknown.length === 0) return
    showToast(`Unknown ${unknown.length === 1 ? 'column' : 'columns'}: ${unknown.join(', ').slice(0, 60)}.`)
    setParams({ cols: known.join() || null }, 'replace')
  }, [unknown.join()])
  return columns.filter((c) => (known.length ? known : defaultColumns).includes(c.id))
}

function LiveButton({ on, possible, onTurn }: { on: boolean; possible: boolean; onTurn: () => void }) {
  const state = liveState.value
  const words = !possible ? 'Not live' : !on ? 'Paused' : state === 'live' ? 'Live' : state === 'lost' ? 'Reconnecting' : 'Connecting'
  return (
    <button type="button" class="button" aria-pressed={on} disabled={!possible} title={possible ? undefined : 'Live updates need a range without an end and a valid filter.'} onClick={onTurn}>
      <span class={'dot ' + (on && state === 'live' ? 'good' : on ? 'half' : 'bad')} aria-hidden="true" /> {words}
    </button>
  )
}

function Columns({ shown }: { shown: string[] }) {
  const set = (id: string, on: boolean) => {
    const next = columns.map((c) => c.id).filter((c) => (c === id ? on : shown.includes(c)))
    setParams({ cols: next.join() === defaultColumns.join() ? null : next.join() }, 'replace')
  }
  return (
    <Popover label="Columns" name="Columns">
      <div class="menu" role="group" aria-label="Columns">
        {columns.map((c) => (
          <label key={c.id}><input type="checkbox" checked={shown.includes(c.id)} onChange={(e) => set(c.id, e.currentTarget.checked)} /> {c.name}</label>
        ))}
      </div>
    </Popover>
  )
}

function Export({ filter, from, to }: { filter: string; from: string; to: string | null }) {
  const at = (format: string, what = '') => '/api/v1' + buildURL('/requests/export' + what, { format, filter, from, to: to ?? new Date().toISOString() })
  return (
    <Popover label="Export" name="Export">
      <div class="menu">
        <a href={at('csv')} download="requests.csv">CSV</a>
        <a href={at('ndjson')} download="requests.ndjson">NDJSON</a>
        <a href={at('ndjson', '/manifest')} download="requests.ndjson.manifest">Checksums for NDJSON</a>
      </div>
    </Popover>
  )
}
