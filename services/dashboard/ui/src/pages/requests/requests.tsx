// Every request: find it, follow them live, open one beside the list.
import { useEffect, useRef } from 'preact/hooks'
import { Popover } from '../../components/controls'
import { Nothing } from '../../components/nothing'
import { QueryBar } from '../../components/querybar'
import { RangePicker } from '../../components/rangepicker'
import { ErrorBox, Skeleton } from '../../components/states'
import { VirtualList } from '../../components/virtuallist'
import { plural } from '../../format'
import { useKeys } from '../../keys'
import { liveState } from '../../live'
import { query, range } from '../../range'
import { address, navigate, params, setParams } from '../../router'
import { say } from '../../say'
import type { Request } from '../../types'
import { Detail } from '../request/detail'
import { Bars } from './bars'
import { columns, fitting, side, usual, widths, type Column } from './columns'
import { useList } from './list'

export function Requests({ rest }: { rest: string }) {
  return rest ? <Alone id={rest} /> : <Listed />
}

/** One request at its own address. */
function Alone({ id }: { id: string }) {
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Request</h1><a class="button" href="/requests">All requests</a></div>
      <Detail id={id} />
    </>
  )
}

function Listed() {
  const r = range()
  const filter = params.value.get('q') ?? ''
  const chosen = params.value.get('sel')
  const live = params.value.get('live') !== 'off'
  const top = useRef(0)
  const { list, more, again, release } = useList({ filter, range: r }, live, () => top.current > 0 || params.value.get('sel') !== null)
  const l = list.value
  const cols = useColumns()
  const seen = chosen || !params.value.has('cols') ? fitting(cols, chosen !== null) : cols
  const wrongFilter = l.error?.details.param === 'filter'
  const move = (step: number) => {
    const i = l.rows.findIndex((x) => x.id === chosen)
    const next = l.rows[Math.max(0, Math.min(l.rows.length - 1, i + step))]
    if (next) setParams({ sel: next.id }, chosen ? 'replace' : 'push')
  }
  const toNew = () => {
    release()
    document.querySelector('.requests .vlist')?.scrollTo(0, 0)
  }
  const close = () => setParams({ sel: null }, 'replace')
  useKeys([
    { key: 'j', does: 'next request', run: () => move(1) },
    { key: 'k', does: 'request before', run: () => move(-1) },
    { key: 'o', does: 'open the request on its own page', run: () => params.value.get('sel') && navigate('/requests/' + params.value.get('sel')) },
    { key: 'Escape', does: 'close the request', run: close },
    { key: 'l', does: 'live on or off', run: () => setParams({ live: live ? 'off' : null }) },
  ], [chosen, live, l.rows])
  return (
    <div class={'requests' + (chosen ? ' open' : '')}>
      <div class="pagehead">
        <h1 tabIndex={-1}>Requests</h1>
        <RangePicker />
        <LiveButton on={live && r.to === null && !wrongFilter} possible={r.to === null && !wrongFilter} onTurn={() => setParams({ live: live ? 'off' : null })} />
        <Columns shown={cols.map((c) => c.id)} />
        <Export filter={filter} from={r.from} to={r.to} />
      </div>
      <QueryBar error={l.error} />
      {wrongFilter ? null : <Bars of={{ filter, ...query(r) }} came={l.came} room={l.rows.length > 0} />}
      {l.error && !wrongFilter ? <ErrorBox error={l.error} again={again} /> : null}
      {l.held.length > 0 ? (
        <button type="button" class="button pill" onClick={toNew}>{l.apart ? `More than ${plural(l.held.length, 'new request')}` : plural(l.held.length, 'new request')} ↑</button>
      ) : null}
      {l.rows.length > 0 ? (
        <VirtualList<Request>
          rows={l.rows} id={(x) => x.id} time={(x) => x.time} label="Requests, newest first" chosen={chosen}
          columns={widths(seen)} {...(params.value.has('cols') ? {} : { class: 'cards' })}
          head={seen.map((c) => <span key={c.id} role="columnheader" class={`of-${c.id} ${side(c)}`}>{c.head?.() ?? c.name}</span>)}
          cells={(x) => seen.map((c) => <span key={c.id} role="gridcell" class={`of-${c.id} ${side(c)}`}>{c.draw(x)}</span>)}
          onChoose={(id) => setParams({ sel: id }, chosen ? 'replace' : 'push')}
          onEnd={more} busy={l.busy} onScroll={(t) => (top.current = t)}
        />
      ) : l.busy ? <Skeleton rows={12} /> : l.error ? null : <Nothing />}
      {chosen ? (
        <aside class="dock" aria-label="Request">
          <Detail id={chosen} onClose={close} />
        </aside>
      ) : null}
    </div>
  )
}

/** The columns that the address names, or the usual ones; names that are none are said, and go. */
function useColumns(): Column[] {
  const named = (params.value.get('cols') ?? '').split(',').filter((c) => c !== '')
  const known = named.filter((n) => columns.some((c) => c.id === n))
  const wrong = named.filter((n) => !known.includes(n)).join(', ')
  useEffect(() => {
    if (!wrong) return
    say(`There is no column called ${wrong.slice(0, 60)}.`)
    setParams({ cols: known.join() || null }, 'replace')
  }, [wrong])
  return columns.filter((c) => (known.length ? known : usual).includes(c.id))
}

function LiveButton({ on, possible, onTurn }: { on: boolean; possible: boolean; onTurn: () => void }) {
  const state = liveState.value
  const words = !possible ? 'Not live' : !on ? 'Paused' : state === 'live' ? 'Live' : state === 'lost' ? 'Reconnecting' : 'Connecting'
  return (
    <button type="button" class="button" aria-pressed={on} disabled={!possible} onClick={onTurn}>
      <span class={'dot ' + (on && state === 'live' ? 'good' : on ? 'half' : 'bad')} aria-hidden="true" /> {words}
    </button>
  )
}

function Columns({ shown }: { shown: string[] }) {
  const set = (id: string, on: boolean) => {
    const next = columns.map((c) => c.id).filter((c) => (c === id ? on : shown.includes(c)))
    setParams({ cols: next.join() === usual.join() ? null : next.join() }, 'replace')
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
  const at = (format: string, what = '') => '/api/v1' + address('/requests/export' + what, { format, filter, from, to: to ?? new Date().toISOString() })
  return (
    <Popover label="Export" name="Export">
      <div class="menu">
        <a href={at('csv')} download="requests.csv">CSV</a>
        <a href={at('ndjson')} download="requests.ndjson">NDJSON</a>
        <a href={at('ndjson', '/manifest')} download="requests.ndjson.manifest">Checksums of the NDJSON</a>
      </div>
    </Popover>
  )
}
