// Waits for a request, and draws it when it comes.
import { useEffect, useState } from 'preact/hooks'
import { parse, useApi } from '../../api'
import { Time } from '../../components/bits'
import { Money } from '../../components/money'
import { RouteChip, wayOf } from '../../components/route'
import { ErrorBox } from '../../components/states'
import { tokens } from '../../format'
import { follow, liveState } from '../../live'
import { say } from '../../say'
import type { Items, Request } from '../../types'

export function First() {
  const last = useApi<Items<Request>>('/requests?limit=1')
  const [come, setCome] = useState<Request | null>(null)
  useEffect(() => follow<Request>('/requests/stream', parse, {
    rows: (rows) => {
      setCome(rows.at(-1) ?? null)
      say('Your request has arrived.')
    },
    gap: last.again,
  }), [])
  const live = liveState.value === 'live'
  // What came while the connection was being made is not told again.
  useEffect(() => {
    if (live) last.again()
  }, [live])
  const r = come ?? last.data?.items[0]
  if (r) return <Arrived r={r} fresh={come !== null} />
  if (last.error) return <ErrorBox error={last.error} again={last.again} />
  return (
    <p class="line waiting">
      <svg class="glyph" viewBox="0 0 28 12" aria-hidden="true"><path d="M1 6h20" /><circle cx="24.5" cy="6" r="2.5" /></svg>
      Waiting for your first request…
    </p>
  )
}

function Arrived({ r, fresh }: { r: Request; fresh: boolean }) {
  return (
    <div class={`arrived ${wayOf(r)}${fresh ? ' fresh' : ''}`} key={r.id}>
      <p class="line">
        <RouteChip way={wayOf(r)} />
        <Time at={r.time} />
        <span>{r.requested_model}{r.model ? <> → {r.model} <span class="soft">@ {r.provider}</span></> : null}</span>
        <span class={r.code ? 'lost mono' : ''}>{r.code ?? r.status}</span>
        <span class="num">{tokens(r.tokens.input + r.tokens.cache_read + r.tokens.cache_write)} → {tokens(r.tokens.output)} tokens</span>
      </p>
      <table class="ledger">
        <thead><tr><th scope="col">Routed</th><th scope="col">Default{r.baseline.model ? ` (${r.baseline.model})` : ''}</th><th scope="col">Kept</th></tr></thead>
        <tbody><tr><td><Money nano={r.cost_nano_usd} /></td><td><Money nano={r.baseline.cost_nano_usd} /></td><td><Money nano={r.kept_nano_usd} signed /></td></tr></tbody>
      </table>
      <a class="button main" href={'/requests/' + r.id}>Open the decision</a>
    </div>
  )
}
