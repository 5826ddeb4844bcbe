// The phases of a request as a waterfall: authentication, routing and every attempt on one time
// scale.
import { formatDuration, formatModel } from '../../format'
import { formatPercent } from '../../money'
import type { AttemptDetail, RequestDetail } from '../../types'
import { timeTicks } from './ticks'

interface Segment {
  kind: 'gate' | 'wait' | 'run' | 'bad'
  from: number
  to: number
}

interface Lane {
  name: string
  segments: Segment[]
  description: string
}

function buildLanes(r: RequestDetail): Lane[] {
  return [
    { name: 'Authentication', segments: [{ kind: 'gate', from: 0, to: r.auth_us }], description: formatDuration(r.auth_us) },
    { name: 'Routing', segments: [{ kind: 'gate', from: r.auth_us, to: r.auth_us + r.route_us }], description: formatDuration(r.route_us) },
    ...r.attempts.map((a, i) => attemptLane(a, r.stream, r.attempts.length > 1 ? `${i + 1}. ` : '')),
  ]
}

function attemptLane(a: AttemptDetail, stream: boolean, number: string): Lane {
  const name = `${number}${formatModel(a)} @ ${a.provider}`
  const took = formatDuration(a.ended_us - a.started_us)
  if (a.code && a.code !== 'CLIENT_CANCELLED') {
    return { name, segments: [{ kind: 'bad', from: a.started_us, to: a.ended_us }], description: `${a.code} after ${took}` }
  }
  // A response without a stream has no first token: it arrives at once, at the end. Older records contain that time.
  const first = stream ? a.first_token_us : null
  const end = `${a.code ? 'client disconnected' : 'complete'} after ${took}`
  return {
    name,
    segments: [{ kind: 'wait', from: a.started_us, to: first ?? a.ended_us }, { kind: 'run', from: first ?? a.ended_us, to: a.ended_us }],
    description: first === null ? end : `first token after ${formatDuration(first - a.started_us)}, ${end}`,
  }
}

export function Timeline({ r }: { r: RequestDetail }) {
  const whole = Math.max(1, r.latency_us, ...r.attempts.map((a) => a.ended_us))
  const place = (from: number, to: number) => (el: HTMLElement | null) => {
    if (!el) return
    el.style.left = `${(from / whole) * 100}%`
    el.style.width = `${((to - from) / whole) * 100}%`
  }
  const start = (at: number) => (el: HTMLElement | null) => void (el && (el.style.left = `${(at / whole) * 100}%`))
  return (
    <div class="stack">
      <div class="timeline">
        <div class="axis" aria-hidden="true">{timeTicks(whole).map((t) => <span key={t} class={t > whole * 0.85 ? 'last' : ''} ref={start(t)}>{t === 0 ? '0' : formatDuration(t)}</span>)}</div>
        {buildLanes(r).map((l, i) => (
          <div class="lane" key={i}>
            <span class="name">{l.name}</span><span class="meta">{l.description}</span>
            <span class="rail" role="img" aria-label={`${l.name}: ${l.description}`}>
              {timeTicks(whole).map((t) => <span key={t} class="tick" ref={place(t, t)} />)}
              {l.segments.map((p, k) => <span key={k} class={p.kind} ref={place(p.from, p.to)} />)}
            </span>
          </div>
        ))}
      </div>
      <p class="line phases meta"><span><i class="gate" />Gateway</span><span><i class="wait" />{r.stream ? 'Waiting for the first token' : 'Waiting for the response'}</span>{r.stream ? <span><i class="run" />Receiving the response</span> : null}<span><i class="bad" />Failed attempt</span></p>
      <p class="meta">The gateway itself took {formatDuration(r.gateway_us)} of {formatDuration(r.latency_us)} ({formatPercent((r.gateway_us / Math.max(1, r.latency_us)) * 100)}).</p>
    </div>
  )
}
