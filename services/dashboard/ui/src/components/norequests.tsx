import { useApi } from '../api'
import { removeTerm, splitFilter } from '../filter'
import { params, setParams } from '../router'
import type { Items, Request } from '../types'
import { Time } from './basics'
import { EmptyState, ErrorBox } from './states'

/** Explains why the page has no data: the filter, the range, or no request so far. */
export function NoRequests() {
  const last = useApi<Items<Request>>('/requests?limit=1')
  const filter = params.value.get('q') ?? ''
  const terms = splitFilter(filter)
  if (terms.length > 0) {
    return (
      <EmptyState title="No matching requests">
        <p>No request in this range matches these filters:</p>
        <div class="line">
          {terms.map((w) => (
            <button key={w} type="button" class="button small" onClick={() => setParams({ q: removeTerm(filter, w) })} aria-label={`Remove ${w}`}>
              <span class="mono">{w}</span> <span aria-hidden="true">✕</span>
            </button>
          ))}
        </div>
        <button type="button" class="button" onClick={() => setParams({ q: null })}>Remove all filters</button>
      </EmptyState>
    )
  }
  const newest = last.data?.items[0]
  if (newest) {
    return (
      <EmptyState title="No requests in this range">
        <p>The last request was <Time at={newest.time} as="relative" />, on <Time at={newest.time} as="moment" />.</p>
        <button type="button" class="button" onClick={() => setParams({ range: hourBefore(newest.time) })}>Show the hour before this request</button>
      </EmptyState>
    )
  }
  if (!last.data) return last.error ? <ErrorBox error={last.error} onRetry={last.reload} /> : null
  return (
    <EmptyState title="No requests yet">
      <p>Create a key, point your client at the base URL, and send a request. The request appears here automatically.</p>
      <a class="button main" href="/start">Get started</a>
    </EmptyState>
  )
}

function hourBefore(time: string): string {
  const at = Date.parse(time)
  return `${new Date(at - 3_600_000).toISOString()}..${new Date(at + 1000).toISOString()}`
}
