import { formatTokens } from '../../format'
import { formatPrice, type ListPrice, type ModelRow } from './model'

/** The prices at each provider: the one in force, earlier and later ones, and tiers for large requests. */
export function Prices({ of: m }: { of: ModelRow }) {
  return (
    <>
      {m.endpoints.map((e) => (
        <div key={e.provider + e.model} class="endpoint">
          <b>{e.provider}</b>{e.model === m.id ? null : <span class="meta mono"> {e.model}</span>}
          {e.prices.length === 0 ? <div>No known price</div> : e.prices.map((p) => <Price key={p.effective ?? ''} p={p} />)}
          {e.confidence && e.confidence !== 'high' ? <div class="meta">Sources agree {e.confidence === 'medium' ? 'mostly' : 'little'}</div> : null}
        </div>
      ))}
    </>
  )
}

function Price({ p }: { p: ListPrice }) {
  const since = p.effective === null || p.effective <= '2000-01-01' ? '' : `; since ${p.effective}`
  return (
    <div class={p.in_force ? undefined : 'soft'}>
      {formatPrice(p.input)} in, {formatPrice(p.output)} out, {formatPrice(p.cache_read)} cached, {formatPrice(p.cache_write)} cache write
      {p.cache_write_1h ? ` (${formatPrice(p.cache_write_1h)} for an hour)` : ''}{p.in_force ? since : `; from ${p.effective}, not in force`}
      {p.tiers.map((t) => <div key={t.above} class="meta">Above {formatTokens(t.above)} input tokens: {formatPrice(t.input)} in, {formatPrice(t.output)} out, {formatPrice(t.cache_read)} cached</div>)}
    </div>
  )
}
