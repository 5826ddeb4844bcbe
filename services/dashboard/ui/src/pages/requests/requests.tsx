// The request log: filter it, follow it live, and view one request beside it.
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { FilterBar } from '../../components/filterbar'
import { NoRequests } from '../../components/norequests'
import { RangePicker } from '../../components/rangepicker'
import { ErrorBox, Skeleton } from '../../components/states'
import { VirtualList } from '../../components/virtuallist'
import { pluralize } from '../../format'
import { lazyPage, lazyPart } from '../../lazy'
import { liveState } from '../../live'
import { currentRange, rangeQuery } from '../../range'
import { navigate, params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import { showToast } from '../../toast'
import type { Request } from '../../types'
import { Detail } from '../request/detail'
import { cellClass, type Column, columns, dated, defaultColumns, fitCard, fitColumns, gridTemplate, renderCell, showsCards } from './columns'
import { LiveHistogram } from './livehistogram'
import { useRequestList } from './requestlist'
import { isRunning, withRunning } from './running'
import { RunningDetail } from './runningdetail'
import { currentSort, isNewestFirst, nextSort, setSort } from './sort'

const Compare = lazyPage('Compare requests', async () => (await import('../request/compare')).Compare)
const Tools = lazyPart(async () => (await import('./tools')).Tools, true)

export function Requests({ rest }: { rest: string }) {
  return rest === 'compare' ? <Compare rest="" /> : rest ? <RequestPage id={rest} /> : <RequestListPage />
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
  const sort = currentSort()
  const byTime = isNewestFirst(sort)
  const top = useRef(0)
  const { list, loadOlder, reload, showPending } = useRequestList({ filter, range: r, sort }, live, () => top.current > 0 || params.value.get('sel') !== null)
  const l = list.value
  const rows = useMemo(() => withRunning(l.running, l.rows, l.pending), [l.running, l.rows, l.pending])
  const shownIds = l.running.length > 0 ? new Set(rows.map((x) => x.id)) : undefined
  const hiddenCount = shownIds ? l.pending.filter((x) => !shownIds.has(x.id)).length : l.pending.length
  const selectedRunning = rows.find((x) => x.id === selectedId && isRunning(x))
  const cols = useColumns()
  const chosen = params.value.has('cols')
  const fitting = showsCards(chosen) ? fitCard(cols) : selectedId || !chosen ? fitColumns(cols, selectedId !== null) : cols
  const visibleColumns = fitting.map((c) => (byTime || c.id !== 'time' ? c : dated(c)))
  const hasFilterError = l.error?.details.param === 'filter'
  const canBeLive = r.to === null && !hasFilterError && byTime
  const move = (step: number) => {
    const i = rows.findIndex((x) => x.id === selectedId)
    const next = rows[Math.max(0, Math.min(rows.length - 1, i + step))]
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
  ], [selectedId, live, rows])
  return (
    <div class={'requests' + (selectedId ? ' open' : '')}>
      <div class="pagehead">
        <h1 tabIndex={-1}>Requests</h1>
        <RangePicker />
        <LiveButton on={live && canBeLive} possible={canBeLive} onTurn={() => setParams({ live: live ? 'off' : null })} />
        <Tools shown={cols.map((c) => c.id)} />
      </div>
      <FilterBar error={l.error} />
      {hasFilterError ? null : <LiveHistogram of={{ filter, ...rangeQuery(r) }} liveCount={l.liveCount} reserveSpace={l.rows.length > 0} />}
      {l.error && !hasFilterError ? <ErrorBox error={l.error} onRetry={reload} /> : null}
      {hiddenCount > 0 ? (
        <button type="button" class="button pill" onClick={showNewest}>{l.hasGap ? `More than ${pluralize(hiddenCount, 'new request')}` : pluralize(hiddenCount, 'new request')} ↑</button>
      ) : null}
      {rows.length > 0 ? (
        <VirtualList<Request>
          rows={rows} id={(x) => x.id} {...(byTime ? { time: (x: Request) => x.time } : {})} label={byTime ? 'Requests, newest first' : 'Requests'} selectedId={selectedId}
          columns={gridTemplate(visibleColumns)} {...(chosen ? {} : { class: 'cards' })}
          head={visibleColumns.map((c) => <Heading key={c.id} c={c} />)}
          cells={(x) => visibleColumns.map((c) => <span key={c.id} role="gridcell" class={`of-${c.id} ${cellClass(c)}`} title={c.title?.(x)}>{renderCell(c, x)}</span>)}
          onSelect={(id) => setParams({ sel: id }, selectedId ? 'replace' : 'push')}
          onEnd={loadOlder} busy={l.busy} onScroll={(t) => (top.current = t)}
        />
      ) : l.busy ? <Skeleton rows={12} /> : l.error ? null : <NoRequests />}
      {selectedId ? (
        <aside class="dock" aria-label="Request">
          {selectedRunning ? <RunningDetail of={selectedRunning} onClose={close} /> : <Detail id={selectedId} onClose={close} />}
        </aside>
      ) : null}
    </div>
  )
}

/** The heading of a column. A click sorts by it; the menu Sort does the same by keyboard. */
function Heading({ c }: { c: Column }) {
  const now = currentSort()
  const name = c.heading?.() ?? c.name
  const by = c.sort
  return (
    <span role="columnheader" class={`of-${c.id} ${cellClass(c)}`} title={c.explanation} {...(by === now.by ? { 'aria-sort': now.ascending ? 'ascending' : 'descending' } as const : {})}>
      {by ? <button type="button" tabIndex={-1} onClick={() => setSort(nextSort(now, by))}>{name}</button> : name}
    </span>
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
    <button type="button" class="button" aria-pressed={on} disabled={!possible} title={possible ? undefined : 'Live updates need a valid filter, a range that ends now, and the order newest first.'} onClick={onTurn}>
      <span class={'dot ' + (on && state === 'live' ? 'good' : on ? 'degraded' : 'bad')} aria-hidden="true" /> {words}
    </button>
  )
}
