// The columns of the list: what is in each, how wide it is, and whether it is
// shown unless somebody says otherwise.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Span, Time } from '../../components/bits'
import { Part } from '../../components/money'
import { RouteChip, wayOf } from '../../components/route'
import { tokens, visible, zoneShort } from '../../format'
import type { Triple } from '../../money'
import type { Request } from '../../types'

export interface Column {
  id: string
  name: string
  /** What stands above it, where that is more than its name. */
  head?: () => string
  /** Pixels that it needs, and its part of those that are free. */
  least: number
  grows?: number
  /** What stands at the right edge; amounts leave room for digits that few have. */
  right?: true | 'amount'
  usual: boolean
  draw: (r: Request) => ComponentChildren
}

// A wide screen has room for more columns, and for room between them.
const wide = innerWidth >= 1600
const grows = wide ? 1 : 0
const triple = (r: Request): Triple => ({ routed: r.cost_nano_usd, baseline: r.baseline.cost_nano_usd, kept: r.kept_nano_usd })

export const columns: Column[] = [
  { id: 'time', name: 'Time', head: () => `Time, ${zoneShort()}`, least: 84, usual: true, draw: (r) => <Time at={r.time} /> },
  { id: 'route', name: 'Route', least: 128, usual: true, draw: (r) => <RouteChip way={wayOf(r)} more={more(r)} /> },
  { id: 'model', name: 'Requested → served', least: wide ? 270 : 216, grows: 3, usual: true, draw: served },
  { id: 'status', name: 'Status', least: 40, usual: wide, right: true, draw: (r) => r.status ?? '—' },
  { id: 'tokens', name: 'Tokens', least: 78, grows, usual: true, right: true, draw: (r) => `${tokens(r.tokens.input + r.tokens.cache_read + r.tokens.cache_write)} → ${tokens(r.tokens.output)}` },
  { id: 'routed', name: 'Routed', least: 98, grows, usual: true, right: 'amount', draw: (r) => <Part of={triple(r)} which="routed" /> },
  { id: 'default', name: 'Default', least: 98, grows, usual: true, right: 'amount', draw: (r) => <Part of={triple(r)} which="baseline" /> },
  { id: 'kept', name: 'Kept', least: 102, grows, usual: true, right: 'amount', draw: (r) => <Part of={triple(r)} which="kept" /> },
  { id: 'ttft', name: 'TTFT', least: 64, grows, usual: wide, right: true, draw: (r) => <Span us={r.ttft_us} /> },
  { id: 'total', name: 'Total', least: 54, grows, usual: true, right: true, draw: (r) => <Span us={r.latency_us} /> },
  { id: 'key', name: 'Key', least: 72, grows, usual: true, draw: (r) => visible(r.key_name) },
  { id: 'gateway', name: 'Gateway', least: 72, grows, usual: wide, right: true, draw: (r) => <Span us={r.gateway_us} /> },
  { id: 'code', name: 'Code', least: 220, usual: false, draw: (r) => <span class="mono">{r.code ?? ''}</span> },
  { id: 'id', name: 'Id', least: 290, usual: false, draw: (r) => <span class="mono">{r.id}</span> },
]

export const usual = columns.filter((c) => c.usual).map((c) => c.id)

/** The class of a column's cells. */
export const side = (c: Column): string => (c.right === 'amount' ? 'num amount' : c.right ? 'num' : '')

/** The widths of columns, as CSS has them. */
export const widths = (list: Column[]): string => list.map((c) => (c.grows ? `minmax(${c.least}px, ${c.grows}fr)` : `${c.least}px`)).join(' ')

const screen = signal(innerWidth)
addEventListener('resize', () => (screen.value = innerWidth))

/** Which columns go first where there is no room for all. */
const leaving = ['gateway', 'ttft', 'key', 'status', 'tokens', 'total', 'default', 'routed', 'kept']

/** Those of the columns that fit on the page or beside an open request, so that none is cut; on a narrow screen the list scrolls instead. */
export function fitting(list: Column[], open: boolean): Column[] {
  if (screen.value < 1100) return list
  const page = screen.value - 232
  const room = open ? page - Math.max(420, (screen.value - 216) * 0.4) - 10 : page
  const out = [...list]
  for (const id of leaving) {
    if (out.reduce((sum, c) => sum + c.least + 8, 16) <= room) break
    const i = out.findIndex((c) => c.id === id)
    if (i >= 0) out.splice(i, 1)
  }
  return out
}

function served(r: Request): ComponentChildren {
  const asked = visible(r.requested_model)
  if (!r.model) return <>{r.code ? <span class="code lost">{r.code} </span> : null}<bdi class="soft">{asked}</bdi></>
  return (
    <>
      {r.requested_model !== r.model ? <><bdi class="soft">{asked}</bdi><span class="soft"> → </span></> : null}
      {r.model} <span class="soft">@ {r.provider}</span>
    </>
  )
}

/** What makes the route what it is, in a word. */
function more(r: Request): string | null {
  if (wayOf(r) === 'error') return r.outcome === 'error' ? null : r.outcome.replace('_', ' ')
  if (r.route === 'fallback' && r.attempts.length > 1) return `try ${r.attempts.length}`
  if (r.route === 'policy' && r.reason.rule) return visible(r.reason.rule)
  return r.outcome === 'client_closed' ? 'client left' : null
}
