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
  // Like the histogram, the figures of routes leave out requests that failed.
  const served = (name: string, n: number, route: string) => {
    const f = part(name, n, now.requests, 'route', route)
    return { ...f, filter: f.filter === null ? null : ['error', 'interrupted', 'aborted'].reduce((to, o) => addTerm(to, `-outcome:${o}`), f.filter) }
  }
  const slow = (name: string, us: number | null, field: string) => ({ name, value: us === null ? '—' : formatDuration(us), filter: us === null ? null : addTerm(filter, `${field}:>=${us}us`) })
  return [
    // Rejected requests are not failures of the gateway, so the success rate leaves them out.
    { ...part(now.rejected > 0 ? 'Success rate of accepted' : 'Success rate', now.ok, now.requests - now.rejected, 'outcome', 'ok'), explanation: 'The share of the accepted requests that succeeded. Rejected requests do not count.' },
    ...(now.rejected > 0 ? [{ ...part('Rejected', now.rejected, now.requests, 'outcome', 'rejected'), explanation: 'The share of all requests that Signalbox rejected before it called a provider.' }] : []),
    served('Served by fallback', now.fallback, 'fallback'),
    { ...served('Routed by policy', now.policy, 'policy'), explanation: routeMeanings.policy },
    { ...slow('Gateway time p50', m.gateway_p50_us, 'gateway'), explanation: gatewayTimeMeaning },
    { ...slow('Gateway time p95', m.gateway_p95_us, 'gateway'), explanation: gatewayTimeMeaning },
    { ...slow('First token p95', m.ttft_p95_us, 'ttft'), explanation: 'Streamed requests only. Other responses arrive at once and have no first token.' },
  ]
}
