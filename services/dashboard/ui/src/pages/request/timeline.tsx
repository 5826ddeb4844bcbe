// When what happened, on one scale.
import { span } from '../../format'
import { percent } from '../../money'
import type { RequestDetail } from '../../types'

interface Part {
  kind: 'gate' | 'wait' | 'run' | 'bad'
  from: number
  to: number
}

interface Lane {
  name: string
  parts: Part[]
  says: string
}

function lanes(r: RequestDetail): Lane[] {
  const out: Lane[] = [
    { name: 'auth', parts: [{ kind: 'gate', from: 0, to: r.auth_us }], says: span(r.auth_us) },
    { name: 'route', parts: [{ kind: 'gate', from: r.auth_us, to: r.auth_us + r.route_us }], says: span(r.route_us) },
  ]
  for (const a of r.attempts) {
    const first = a.first_token_us ?? a.ended_us
    const parts: Part[] = a.code
      ? [{ kind: 'bad', from: a.started_us, to: a.ended_us }]
      : [{ kind: 'wait', from: a.started_us, to: first }, { kind: 'run', from: first, to: a.ended_us }]
    const says = a.code ? `${a.code} after ${span(a.ended_us - a.started_us)}` : `first token after ${span(first - a.started_us)}, done after ${span(a.ended_us - a.started_us)}`
    out.push({ name: `${a.model} @ ${a.provider}`, parts, says })
  }
  return out
}

export function Timeline({ r }: { r: RequestDetail }) {
  const whole = Math.max(1, r.latency_us, ...r.attempts.map((a) => a.ended_us))
  const place = (p: Part) => (el: HTMLElement | null) => {
    if (!el) return
    el.style.left = `${(p.from / whole) * 100}%`
    el.style.width = `${((p.to - p.from) / whole) * 100}%`
  }
  return (
    <div class="stack">
      <div class="timeline">
        {lanes(r).map((l, i) => (
          <div class="lane" key={i}>
            <span class="name">{l.name}</span><span class="meta">{l.says}</span>
            <span class="rail" role="img" aria-label={`${l.name}: ${l.says}`}>{l.parts.map((p, k) => <span key={k} class={p.kind} ref={place(p)} />)}</span>
          </div>
        ))}
      </div>
      <p class="meta">
        The gateway took {span(r.gateway_us)} of {span(r.latency_us)} ({percent((r.gateway_us / Math.max(1, r.latency_us)) * 100)}). Grey is waiting for the first token, blue is the answer, red is what failed.
      </p>
    </div>
  )
}
