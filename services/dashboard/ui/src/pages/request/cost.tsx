// The cost of a request: tokens, prices and costs of every attempt, and of the
// baseline (the same tokens at the default model).
import type { Nano } from '../../api'
import { Money } from '../../components/money'
import { formatCount, formatModel, pluralize } from '../../format'
import { formatExact } from '../../money'
import type { AttemptDetail, Costs, Price, RequestDetail, Tokens } from '../../types'
import { describeEstimate } from './estimate'

const buckets = [
  ['input', 'Input'],
  ['cache_read', 'Cache read'],
  ['cache_write', 'Cache write'],
  ['output', 'Output'],
] as const

/** Formats a price per million tokens. Pico-USD per token equals micro-USD per million tokens. */
const formatPerMillion = (pico: number): string => `${formatExact(BigInt(pico) * 1000n)}/M`

/** Notes on an attempt: one-hour cache writes, figures that the provider reports differently, and parameters that were not sent. */
const describeAttempt = (a: AttemptDetail): string =>
  [
    a.tokens?.cache_write_1h ? `${formatCount(a.tokens.cache_write_1h)} of the cache-write tokens are cached for one hour${a.price?.cache_write_1h ? ` at ${formatPerMillion(a.price.cache_write_1h)}` : ''}` : '',
    a.reported_nano_usd === null ? '' : `the provider reports a cost of ${formatExact(BigInt(a.reported_nano_usd))}`,
    a.usage_difference === 0 ? '' : `the provider reports a total that is ${pluralize(Math.abs(a.usage_difference), 'token')} ${a.usage_difference > 0 ? 'higher' : 'lower'} than the sum of these lines`,
    a.dropped_params.length === 0 ? '' : `parameters not sent: ${a.dropped_params.join(', ')}`,
  ].filter(Boolean).join('; ')

export function Cost({ r }: { r: RequestDetail }) {
  return (
    <div class="stack">
      <table class="ledger">
        <thead><tr><th scope="col">Usage</th><th scope="col">Tokens</th><th scope="col">Price</th><th scope="col">Cost</th></tr></thead>
        <tbody>
          {r.attempts.map((a, i) => (
            <LedgerLines key={i} title={`${formatModel(a)} @ ${a.provider}${a.code ? ` (${a.code})` : ''}`} tokens={a.tokens} price={a.price} costs={a.costs} sum={a.cost_nano_usd} note={describeAttempt(a)} />
          ))}
          <tr class="total"><td colSpan={3}>Cost{describeEstimate(r)}</td><td><Money decimals={9} nano={r.cost_nano_usd} /></td></tr>
          <LedgerLines title={r.baseline.model ? `Same tokens with ${r.baseline.model}` : 'No default model was set'} tokens={r.tokens} price={r.baseline.price} costs={r.baseline.costs} sum={r.baseline.cost_nano_usd} />
          <tr class="total"><td colSpan={3}>Cost with default model</td><td><Money decimals={9} nano={r.baseline.cost_nano_usd} /></td></tr>
          <tr class="grand"><td colSpan={3}>Saved</td><td><Money decimals={9} nano={r.saved_nano_usd} signed /></td></tr>
        </tbody>
      </table>
      {r.outcome === 'error' || r.outcome === 'interrupted' || r.outcome === 'aborted' ? <p class="meta">The request failed, so the cost with the default model is zero: a failure never counts as savings.</p> : null}
      <p class="meta">The cost with the default model is the cost of the same number of tokens at the default model’s price. Prices are those at the time of the request{describePriceDate(r.baseline.price)}.</p>
    </div>
  )
}

/** Describes when the default model's price took effect. A price without a start date has a date before 2001. */
const describePriceDate = (p: Price | null): string => (p?.effective && p.effective > '2001' ? `; the default model’s price has applied since ${p.effective}` : '')

function LedgerLines(p: { title: string; tokens: Tokens | null; price: Price | null; costs: Costs | null; sum: Nano | null; note?: string }) {
  const used = buckets.filter(([b]) => p.tokens && p.tokens[b] > 0)
  return (
    <>
      <tr><td colSpan={3}><b>{p.title}</b></td><td>{used.length === 0 ? <Money decimals={9} nano={p.sum} /> : null}</td></tr>
      {used.map(([b, name]) => (
        <tr key={b}>
          <td>{name}</td>
          <td>{formatCount(p.tokens![b])}</td>
          <td>{p.price ? formatPerMillion(p.price[b]) : '—'}</td>
          <td><Money decimals={9} nano={p.costs ? p.costs[b] : null} /></td>
        </tr>
      ))}
      {p.note ? <tr><td colSpan={4} class="meta">{p.note}</td></tr> : null}
    </>
  )
}
