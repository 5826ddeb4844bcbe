import { span } from '../../format'
import { percent } from '../../money'
import { narrow, rowsAt } from '../../rows'
import { add } from '../../words'
import type { OverviewData, Scope } from './overview'

interface Figure {
  name: string
  value: string
  /** Finds the requests behind it, of which there may be none. */
  filter: string | null
}

/** The figures below the headline, each of which opens its requests. */
export function Strip({ data, scope }: { data: OverviewData; scope: Scope }) {
  return (
    <dl class="strip">
      {figures(data, scope.filter).map((f) => (
        <div key={f.name}>
          <dt>{f.name}</dt>
          <dd>{f.filter !== null ? <a href={rowsAt(f.filter, scope.range)}>{f.value}</a> : f.value}</dd>
        </div>
      ))}
    </dl>
  )
}

function figures({ now, measured: m }: OverviewData, filter: string): Figure[] {
  const part = (name: string, n: number, of: number, field: string, value: string) => ({ name, value: of === 0 ? '—' : percent((100 * n) / of), filter: n > 0 ? narrow(filter, field, value) : null })
  const slow = (name: string, us: number | null, field: string) => ({ name, value: us === null ? '—' : span(us), filter: us === null ? null : add(filter, `${field}:>=${us}us`) })
  return [
    // Whoever asks for what there is not is refused: that is no failure of ours.
    part(now.rejected > 0 ? 'Succeeded of those accepted' : 'Succeeded', now.ok, now.requests - now.rejected, 'outcome', 'ok'),
    ...(now.rejected > 0 ? [part('Refused', now.rejected, now.requests, 'outcome', 'rejected')] : []),
    part('Fell back', now.fallback, now.requests, 'route', 'fallback'),
    part('By policy', now.policy, now.requests, 'route', 'policy'),
    slow('Gateway p50', m.gateway_p50_us, 'gateway'),
    slow('Gateway p95', m.gateway_p95_us, 'gateway'),
    slow('First token p95', m.ttft_p95_us, 'ttft'),
  ]
}
