// The columns of the list: what is in each, how wide it is, and whether it is
// shown unless somebody says otherwise.
import type { ComponentChildren } from 'preact'
import { Span, Time } from '../../components/bits'
import { Money } from '../../components/money'
import { RouteChip, wayOf } from '../../components/route'
import { tokens } from '../../format'
import type { Request } from '../../types'

export interface Column {
  id: string
  name: string
  width: string
  right?: boolean
  usual: boolean
  draw: (r: Request) => ComponentChildren
}

export const columns: Column[] = [
  { id: 'time', name: 'Time', width: '90px', usual: true, draw: (r) => <Time at={r.time} /> },
  { id: 'route', name: 'Route', width: '150px', usual: true, draw: (r) => <RouteChip way={wayOf(r)} more={more(r)} /> },
  { id: 'model', name: 'Requested → served', width: 'minmax(180px, 1fr)', usual: true, draw: served },
  { id: 'status', name: 'Status', width: '40px', usual: true, right: true, draw: (r) => r.status ?? '—' },
  { id: 'tokens', name: 'Tokens', width: '86px', usual: true, right: true, draw: (r) => `${tokens(r.tokens.input + r.tokens.cache_read + r.tokens.cache_write)} → ${tokens(r.tokens.output)}` },
  { id: 'routed', name: 'Routed', width: '82px', usual: true, right: true, draw: (r) => <Money nano={r.cost_nano_usd} /> },
  { id: 'default', name: 'Default', width: '82px', usual: true, right: true, draw: (r) => <Money nano={r.baseline.cost_nano_usd} /> },
  { id: 'kept', name: 'Kept', width: '84px', usual: true, right: true, draw: (r) => <Money nano={r.kept_nano_usd} signed /> },
  { id: 'ttft', name: 'TTFT', width: '64px', usual: false, right: true, draw: (r) => <Span us={r.ttft_us} /> },
  { id: 'total', name: 'Total', width: '60px', usual: true, right: true, draw: (r) => <Span us={r.latency_us} /> },
  { id: 'key', name: 'Key', width: '84px', usual: true, draw: (r) => r.key_name },
  { id: 'gateway', name: 'Gateway', width: '72px', usual: false, right: true, draw: (r) => <Span us={r.gateway_us} /> },
  { id: 'code', name: 'Code', width: '220px', usual: false, draw: (r) => <span class="mono">{r.code ?? ''}</span> },
  { id: 'id', name: 'Id', width: '290px', usual: false, draw: (r) => <span class="mono">{r.id}</span> },
]

export const usual = columns.filter((c) => c.usual).map((c) => c.id)

function served(r: Request): ComponentChildren {
  if (!r.model) return <><span class="soft">{r.requested_model}</span>{r.code ? <span class="mono lost"> {r.code}</span> : null}</>
  return (
    <>
      {r.requested_model !== r.model ? <span class="soft">{r.requested_model} → </span> : null}
      {r.model} <span class="soft">@ {r.provider}</span>
    </>
  )
}

/** What makes the route what it is, in a word. */
function more(r: Request): string | null {
  if (wayOf(r) === 'error') return r.outcome === 'error' ? null : r.outcome.replace('_', ' ')
  if (r.route === 'fallback' && r.attempts.length > 1) return `try ${r.attempts.length}`
  if (r.route === 'policy' && r.reason.rule) return r.reason.rule
  return r.outcome === 'client_closed' ? 'client left' : null
}
