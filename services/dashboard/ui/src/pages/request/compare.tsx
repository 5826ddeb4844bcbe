// Two requests side by side: what differs in their figures, their decisions and their texts.
import type { ComponentChildren } from 'preact'
import { type Nano, useApi } from '../../api'
import { Duration, Time } from '../../components/basics'
import { DiffText } from '../../components/difftext'
import { Money } from '../../components/money'
import { RouteChip, routeKind } from '../../components/route'
import { Await, EmptyState } from '../../components/states'
import { escapeInvisible, formatCount, formatDuration, formatModel, shortenId } from '../../format'
import { formatPercent } from '../../money'
import { params, withParams } from '../../router'
import type { RequestDetail } from '../../types'
import { contentText } from './contenttext'

interface Line {
  name: string
  show: (r: RequestDetail) => ComponentChildren
  /** Equal keys mean that nothing differs. */
  key: (r: RequestDetail) => unknown
  /** A number, whose change from the first to the second request is shown. */
  amount?: (r: RequestDetail) => Nano | null
  format?: (n: number) => string
}

const text = (name: string, of: (r: RequestDetail) => string | null): Line => ({ name, key: of, show: (r) => escapeInvisible(of(r) ?? '—') })
const count = (name: string, of: (r: RequestDetail) => number): Line => ({ name, key: of, amount: of, show: (r) => formatCount(of(r)), format: (n) => formatCount(n) })
const money = (name: string, of: (r: RequestDetail) => Nano | null): Line => ({ name, key: (r) => String(of(r)), amount: of, show: (r) => <Money nano={of(r)} /> })
const time = (name: string, of: (r: RequestDetail) => number | null): Line => ({ name, key: of, amount: of, show: (r) => <Duration us={of(r)} />, format: formatDuration })

const lines: Line[] = [
  { name: 'Time', key: () => 0, show: (r) => <Time at={r.time} as="moment" /> },
  { name: 'Route', key: routeKind, show: (r) => <RouteChip kind={routeKind(r)} /> },
  text('Reason', (r) => r.reason.text || null),
  text('Rule', (r) => r.reason.rule ?? null),
  text('Requested', (r) => r.requested_model),
  text('Served by', (r) => (r.model ? `${formatModel(r)} @ ${r.provider}` : null)),
  text('Status', (r) => [r.status, r.code].filter(Boolean).join(' ') || null),
  text('Key', (r) => r.key_name),
  text('Client', (r) => r.agent),
  text('User', (r) => r.user),
  text('Policy version', (r) => r.policy_version?.slice(0, 12) ?? null),
  count('Input tokens', (r) => r.tokens.input + r.tokens.cache_read + r.tokens.cache_write),
  count('Cached input tokens', (r) => r.tokens.cache_read),
  count('Output tokens', (r) => r.tokens.output),
  count('Attempts', (r) => r.attempts.length),
  money('Cost', (r) => r.cost_nano_usd),
  money('Cost with default model', (r) => r.baseline.cost_nano_usd),
  money('Saved', (r) => r.saved_nano_usd),
  time('First token', (r) => r.ttft_us),
  time('Total time', (r) => r.latency_us),
  time('Gateway time', (r) => r.gateway_us),
]

export function Compare() {
  const [a, b] = [params.value.get('a'), params.value.get('b')]
  const first = useApi<RequestDetail>(a ? '/requests/' + encodeURIComponent(a) : null)
  const second = useApi<RequestDetail>(b ? '/requests/' + encodeURIComponent(b) : null)
  if (!a || !b) {
    return (
      <EmptyState title="Choose two requests">
        <p>Open a request, press Compare, and then open the other request.</p>
        <a class="button" href="/requests">All requests</a>
      </EmptyState>
    )
  }
  return <Await of={first}>{(x) => <Await of={second}>{(y) => <Comparison a={x} b={y} />}</Await>}</Await>
}

function Comparison({ a, b }: { a: RequestDetail; b: RequestDetail }) {
  const differs = (l: Line) => l.key(a) !== l.key(b)
  return (
    <div class="stack">
      <p class="line"><a class="button small" href={withParams({ a: b.id, b: a.id })}>Swap</a></p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
        <table class="table compared">
          <thead>
            <tr>
              <th scope="col"><span class="sr">Property</span></th>
              {[a, b].map((r) => <th key={r.id} scope="col"><a class="mono" href={'/requests/' + r.id}>{shortenId(r.id)}</a></th>)}
              <th scope="col" class="num">Change</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((l) => (
              <tr key={l.name} class={differs(l) ? 'differs' : ''}>
                <th scope="row">{l.name}</th><td>{l.show(a)}</td><td>{l.show(b)}</td><td class="num">{l.amount ? <Change l={l} a={l.amount(a)} b={l.amount(b)} /> : null}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Signals a={a} b={b} />
      <Texts title="Request" before={contentText(a.request)} after={contentText(b.request)} />
      <Texts title="Response" before={contentText(a.response)} after={contentText(b.response)} />
    </div>
  )
}

/** The change from the first to the second request, with its share. */
function Change({ l, a, b }: { l: Line; a: Nano | null; b: Nano | null }) {
  if (a === null || b === null) return <>—</>
  const by = BigInt(b) - BigInt(a)
  if (by === 0n) return <span class="soft">none</span>
  const share = Number(a) === 0 ? '' : ` (${by > 0n ? '+' : '−'}${formatPercent(Math.abs((Number(by) / Number(a)) * 100))})`
  return <>{l.format ? `${by > 0n ? '+' : '−'}${l.format(Math.abs(Number(by)))}` : <>{by > 0n ? '+' : ''}<Money nano={by} /></>}{share}</>
}

/** The signals that differ, in words. */
function Signals({ a, b }: { a: RequestDetail; b: RequestDetail }) {
  const of = (r: RequestDetail) => new Map(r.explanation?.signals.map((s) => [s.name, s.text]) ?? [])
  const [x, y] = [of(a), of(b)]
  const names = [...new Set([...x.keys(), ...y.keys()])].filter((n) => x.get(n) !== y.get(n))
  return (
    <section class="stack" aria-labelledby="signals">
      <h2 id="signals">Found in the requests</h2>
      {names.length === 0 ? <p class="meta">The same was found in both requests.</p> : (
        <table class="table compared">
          <thead><tr><th scope="col">Signal</th><th scope="col">First</th><th scope="col">Second</th></tr></thead>
          <tbody>{names.map((n) => <tr key={n}><th scope="row">{n}</th><td>{x.get(n) ?? '—'}</td><td>{y.get(n) ?? '—'}</td></tr>)}</tbody>
        </table>
      )}
    </section>
  )
}

function Texts({ title, before, after }: { title: string; before: string | null; after: string | null }) {
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      {before === null || after === null ? <p class="meta">The content of {before === after ? 'both requests' : before === null ? 'the first request' : 'the second request'} is not stored.</p> : <DiffText before={before} after={after} />}
    </section>
  )
}
