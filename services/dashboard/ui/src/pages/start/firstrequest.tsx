// Waits for the user's first request and shows it when it arrives.
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi, useApi } from '../../api'
import { Time } from '../../components/basics'
import { Money } from '../../components/money'
import { RouteChip, routeKind } from '../../components/route'
import { ErrorBox, Skeleton } from '../../components/states'
import { filterTerm } from '../../filter'
import { escapeInvisible, formatModel, formatTokens } from '../../format'
import { followRequests } from '../../live'
import { buildURL } from '../../router'
import { showToast } from '../../toast'
import type { Items, Request } from '../../types'
import type { Key } from '../keys/key'

/**
 * Shows the newest request with the key that was created on this page. If no key was
 * created, it follows the account's requests only if the account had none before.
 * Following a busy account would announce requests that other users sent.
 */
export function FirstRequest({ createdKey }: { createdKey: Key | undefined }) {
  const last = useApi<Items<Request>>('/requests?limit=1')
  const [arrived, setArrived] = useState<Request | null>(null)
  const hadNoRequests = useRef(false)
  if (last.data?.items.length === 0) hadNoRequests.current = true
  const follows = createdKey !== undefined || hadNoRequests.current
  useEffect(() => {
    setArrived(null)
    if (!follows) return
    const filter = createdKey ? filterTerm('key', createdKey.id) : ''
    let announced = false
    const showNewest = (rows: Request[]) => {
      if (rows.length === 0) return
      setArrived(rows.at(-1)!)
      if (!announced) showToast('Your request arrived.')
      announced = true
    }
    // The stream does not deliver requests that arrived while it was connecting.
    const fetchNewest = () => void callApi<Items<Request>>('GET', buildURL('/requests', { filter, limit: '1' })).then((p) => showNewest(p.items), last.reload)
    return followRequests(filter, { rows: showNewest, start: fetchNewest, gap: fetchNewest })
  }, [createdKey?.id, follows])
  if (arrived) return <ArrivedRequest r={arrived} fresh />
  if (last.error) return <ErrorBox error={last.error} onRetry={last.reload} />
  if (!last.data && !createdKey) return <Skeleton rows={2} />
  const before = last.data?.items[0]
  if (before && !createdKey) return <><p class="soft">Newest request of the account:</p><ArrivedRequest r={before} fresh={false} /></>
  return (
    <p class="line waiting">
      <svg class="glyph" viewBox="0 0 28 12" aria-hidden="true"><path d="M1 6h20" /><circle cx="24.5" cy="6" r="2.5" /></svg>
      Waiting for your first request{createdKey ? ' with this key' : ''}…
    </p>
  )
}

function ArrivedRequest({ r, fresh }: { r: Request; fresh: boolean }) {
  return (
    <div class={`arrived ${routeKind(r)}${fresh ? ' fresh' : ''}`} key={r.id}>
      <p class="line">
        <RouteChip kind={routeKind(r)} />
        <Time at={r.time} />
        <span><bdi>{escapeInvisible(r.requested_model)}</bdi>{r.model ? <> → {formatModel(r)} <span class="soft">@ {r.provider}</span></> : null}</span>
        <span class={r.code ? 'lost mono' : ''}>{r.code ?? r.status}</span>
        <span class="num">{formatTokens(r.tokens.input + r.tokens.cache_read + r.tokens.cache_write)} → {formatTokens(r.tokens.output)} tokens</span>
      </p>
      <table class="ledger">
        <thead><tr><th scope="col">Cost</th><th scope="col">Cost with default model{r.baseline.model ? ` (${r.baseline.model})` : ''}</th><th scope="col">Saved</th></tr></thead>
        <tbody><tr><td><Money nano={r.cost_nano_usd} /></td><td><Money nano={r.baseline.cost_nano_usd} /></td><td><Money nano={r.saved_nano_usd} signed /></td></tr></tbody>
      </table>
      <a class="button main" href={'/requests/' + r.id}>View decision</a>
    </div>
  )
}
