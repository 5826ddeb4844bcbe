// The phases of a request on one time scale.
import { formatDuration, formatModel } from '../../format'
import { formatPercent } from '../../money'
import type { RequestDetail } from '../../types'

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
  const out: Lane[] = [
    { name: 'Authentication', segments: [{ kind: 'gate', from: 0, to: r.auth_us }], description: formatDuration(r.auth_us) },
    { name: 'Routing', segments: [{ kind: 'gate', from: r.auth_us, to: r.auth_us + r.route_us }], description: formatDuration(r.route_us) },
  ]
  for (const a of r.attempts) {
    const first = a.first_token_us ?? a.ended_us
    const failed = a.code && a.code !== 'CLIENT_CANCELLED'
    const parts: Segment[] = failed
      ? [{ kind: 'bad', from: a.started_us, to: a.ended_us }]
      : [{ kind: 'wait', from: a.started_us, to: first }, { kind: 'run', from: first, to: a.ended_us }]
    const description = failed ? `${a.code} after ${formatDuration(a.ended_us - a.started_us)}` : `first token after ${formatDuration(first - a.started_us)}, ${a.code ? 'client disconnected' : 'complete'} after ${formatDuration(a.ended_us - a.started_us)}`
    out.push({ name: `${formatModel(a)} @ ${a.provider}`, segments: parts, description })
  }
  return out
}

export function Timeline({ r }: { r: RequestDetail }) {
  const whole = Math.max(1, r.latency_us, ...r.attempts.map((a) => a.ended_us))
  const positionSegment = (p: Segment) => (el: HTMLElement | null) => {
    if (!el) return
    el.style.left = `${(p.from / whole) * 100}%`
    el.style.width = `${((p.to - p.from) / whole) * 100}%`
  }
  return (
    <div class="stack">
      <div class="timeline">
        {buildLanes(r).map((l, i) => (
          <div class="lane" key={i}>
            <span class="name">{l.name}</span><span class="meta">{l.description}</span>
            <span class="rail" role="img" aria-label={`${l.name}: ${l.description}`}>{l.segments.map((p, k) => <span key={k} class={p.kind} ref={positionSegment(p)} />)}</span>
          </div>
        ))}
      </div>
      <p class="meta">
        The gateway itself took {formatDuration(r.gateway_us)} of {formatDuration(r.latency_us)} ({formatPercent((r.gateway_us / Math.max(1, r.latency_us)) * 100)}). Gray: waiting for the first token. Blue: receiving the response. Red: failed attempt.
      </p>
    </div>
  )
}
