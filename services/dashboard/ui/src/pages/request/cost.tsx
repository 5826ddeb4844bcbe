// The bill: every bucket with its formula, every attempt, and the baseline.
import type { Nano } from '../../api'
import { Money } from '../../components/money'
import { count } from '../../format'
import { exact } from '../../money'
import type { AttemptDetail, Costs, Price, RequestDetail, Tokens } from '../../types'

const buckets = [
  ['input', 'Input'],
  ['cache_read', 'Read from the cache'],
  ['cache_write', 'Written to the cache'],
  ['output', 'Output'],
] as const

/** Pico-USD a token is micro-USD a million tokens. */
const perMillion = (pico: number): string => `${exact(BigInt(pico) * 1000n)}/M`

/** What the provider says of the call otherwise than we, and what it was not given. */
const note = (a: AttemptDetail): string =>
  [
    a.tokens?.cache_write_1h ? `${count(a.tokens.cache_write_1h)} of the tokens written to the cache stay for an hour${a.price?.cache_write_1h ? ` at ${perMillion(a.price.cache_write_1h)}` : ''}` : '',
    a.reported_nano_usd === null ? '' : `the provider reports ${exact(BigInt(a.reported_nano_usd))}`,
    a.usage_difference === 0 ? '' : `its own total differs by ${a.usage_difference > 0 ? '+' : ''}${a.usage_difference} tokens`,
    a.dropped_params.length === 0 ? '' : `not sent to it: ${a.dropped_params.join(', ')}`,
  ].filter(Boolean).join('; ')

export function Cost({ r }: { r: RequestDetail }) {
  return (
    <div class="stack">
      <table class="ledger">
        <thead><tr><th scope="col">What was used</th><th scope="col">Tokens</th><th scope="col">Price</th><th scope="col">Cost</th></tr></thead>
        <tbody>
          {r.attempts.map((a, i) => (
            <Lines key={i} title={`${a.model} @ ${a.provider}${a.code ? ` (${a.code})` : ''}`} tokens={a.tokens} price={a.price} costs={a.costs} sum={a.cost_nano_usd} note={note(a)} />
          ))}
          <tr class="total"><td colSpan={3}>Routed{r.cost_basis === 'estimated' ? ' (estimated: the provider told no usage)' : ''}</td><td><Money to={9} nano={r.cost_nano_usd} /></td></tr>
          <Lines title={`The same by ${r.baseline.model ?? 'no default model'}`} tokens={r.tokens} price={r.baseline.price} costs={r.baseline.costs} sum={r.baseline.cost_nano_usd} />
          <tr class="total"><td colSpan={3}>Default</td><td><Money to={9} nano={r.baseline.cost_nano_usd} /></td></tr>
          <tr class="grand"><td colSpan={3}>Kept</td><td><Money to={9} nano={r.kept_nano_usd} signed /></td></tr>
        </tbody>
      </table>
      <p class="meta">The default is charged for the same tokens at its own price. Prices are those of the moment of the request{since(r.baseline.price)}.</p>
    </div>
  )
}

/** From when on the default's price held; a price that always did has a date before there were any. */
const since = (p: Price | null): string => (p?.effective && p.effective > '2001' ? `; the default's is of ${p.effective}` : '')

function Lines(p: { title: string; tokens: Tokens | null; price: Price | null; costs: Costs | null; sum: Nano | null; note?: string }) {
  const used = buckets.filter(([b]) => p.tokens && p.tokens[b] > 0)
  return (
    <>
      <tr><td colSpan={3}><b>{p.title}</b></td><td>{used.length === 0 ? <Money to={9} nano={p.sum} /> : null}</td></tr>
      {used.map(([b, name]) => (
        <tr key={b}>
          <td>{name}</td>
          <td>{count(p.tokens![b])}</td>
          <td>{p.price ? perMillion(p.price[b]) : '—'}</td>
          <td><Money to={9} nano={p.costs ? p.costs[b] : null} /></td>
        </tr>
      ))}
      {p.note ? <tr><td colSpan={4} class="meta">{p.note}</td></tr> : null}
    </>
  )
}
