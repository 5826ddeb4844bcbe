import { routeMeanings } from '../../components/route'
import { addTerm } from '../../filter'
import { formatDuration, gatewayTimeMeaning } from '../../format'
import { formatPercent } from '../../money'
import { narrowFilter, requestsURL } from '../../requestlinks'
import type { OverviewData, Scope } from './types'

interface Figure {
  name: string
  value: string
  /** The filter that selects the requests of this figure; null if there are none. */
  filter: string | null
  /** The tooltip of the name. */
  explanation?: string
}

/** The figures below the headline. Each links to its requests. */
export function KeyFigures({ data, scope }: { data: OverviewData; scope: Scope }) {
  return (
    <dl class="strip">
      {computeFigures(data, scope.filter).map((f) => (
        <div key={f.name}>
          <dt title={f.explanation}>{f.name}</dt>
          <dd>{f.filter !== null ? <a href={requestsURL(f.filter, scope.range)}>{f.value}</a> : f.value}</dd>
        </div>
      ))}
    </dl>
  )
}

function computeFigures({ now, measured: m }: OverviewData, filter: string): Figure[] {
  const part = (name: string, n: number, of: number, field: string, value: string) => ({ name, value: of === 0 ? '—' : formatPercent((100 * n) / of), filter: n > 0 ? narrowFilter(filter, field, value) : null })
  const slow = (name: string, us: number | null, field: string) => ({ name, value: us === null ? '—' : formatDuration(us), filter: us === null ? null : addTerm(filter, `${field}:>=${us}us`) })
  return [
    // Rejected requests are not failures of the gateway, so the success rate leaves them out.
    part('Success rate', now.ok, now.requests - now.rejected, 'outcome', 'ok'),
    ...(now.rejected > 0 ? [part('Rejected', now.rejected, now.requests, 'outcome', 'rejected')] : []),
    part('Served by fallback', now.fallback, now.requests, 'route', 'fallback'),
    { ...part('Routed by policy', now.policy, now.requests, 'route', 'policy'), explanation: routeMeanings.policy },
    { ...slow('Gateway time p50', m.gateway_p50_us, 'gateway'), explanation: gatewayTimeMeaning },
    { ...slow('Gateway time p95', m.gateway_p95_us, 'gateway'), explanation: gatewayTimeMeaning },
    slow('First token p95', m.ttft_p95_us, 'ttft'),
  ]
}
