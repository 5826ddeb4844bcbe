// Waits for a request, and draws it when it comes.
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, useApi } from '../../api'
import { Time } from '../../components/bits'
import { Money } from '../../components/money'
import { RouteChip, wayOf } from '../../components/route'
import { ErrorBox } from '../../components/states'
import { tokens, visible } from '../../format'
import { follow } from '../../live'
import { address } from '../../router'
import { say } from '../../say'
import type { Items, Request } from '../../types'
import { word } from '../../words'
import type { Key } from '../keys/key'

/**
 * The request of whoever is here. That is one with the key that they have just
 * made or, without one, the account's first: on a busy account the others'
 * requests are no news.
 */
export function First({ made }: { made: Key | undefined }) {
  const last = useApi<Items<Request>>('/requests?limit=1')
  const [come, setCome] = useState<Request | null>(null)
  const none = useRef(false)
  if (last.data?.items.length === 0) none.current = true
  const follows = made !== undefined || none.current
  useEffect(() => {
    setCome(null)
    if (!follows) return
    const filter = made ? word('key', made.id) : ''
    let said = false
    const arrived = (rows: Request[]) => {
      if (rows.length === 0) return
      setCome(rows.at(-1)!)
      if (!said) say('Your request has arrived.')
      said = true
    }
    // What came while the connection was being made is not told again.
    const look = () => void call<Items<Request>>('GET', address('/requests', { filter, limit: '1' })).then((p) => arrived(p.items), last.again)
    return follow(filter, { rows: arrived, start: look, gap: look })
  }, [made?.id, follows])
  if (come) return <Arrived r={come} fresh />
  if (last.error) return <ErrorBox error={last.error} again={last.again} />
  const before = last.data?.items[0]
  if (before && !made) return <><p class="soft">The newest request of the account:</p><Arrived r={before} fresh={false} /></>
  return (
    <p class="line waiting">
      <svg class="glyph" viewBox="0 0 28 12" aria-hidden="true"><path d="M1 6h20" /><circle cx="24.5" cy="6" r="2.5" /></svg>
      Waiting for your first request{made ? ' with this key' : ''}…
    </p>
  )
}

function Arrived({ r, fresh }: { r: Request; fresh: boolean }) {
  return (
    <div class={`arrived ${wayOf(r)}${fresh ? ' fresh' : ''}`} key={r.id}>
      <p class="line">
        <RouteChip way={wayOf(r)} />
        <Time at={r.time} />
        <span><bdi>{visible(r.requested_model)}</bdi>{r.model ? <> → {r.model} <span class="soft">@ {r.provider}</span></> : null}</span>
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
