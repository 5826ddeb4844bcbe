import { useApi } from '../api'
import { params, setParams } from '../router'
import type { Items, Request } from '../types'
import { remove, split } from '../words'
import { Time } from './bits'
import { Empty, ErrorBox } from './states'

/** Why there is nothing to show: the filter, the range, or no request ever. */
export function Nothing() {
  const last = useApi<Items<Request>>('/requests?limit=1')
  const filter = params.value.get('q') ?? ''
  const words = split(filter)
  if (words.length > 0) {
    return (
      <Empty title="No request matches">
        <p>These filters leave nothing of this range:</p>
        <div class="line">
          {words.map((w) => (
            <button key={w} type="button" class="button small" onClick={() => setParams({ q: remove(filter, w) })} aria-label={`Remove ${w}`}>
              <span class="mono">{w}</span> <span aria-hidden="true">✕</span>
            </button>
          ))}
        </div>
        <button type="button" class="button" onClick={() => setParams({ q: null })}>Remove all filters</button>
      </Empty>
    )
  }
  const newest = last.data?.items[0]
  if (newest) {
    return (
      <Empty title="Nothing in this range">
        <p>The last request was <Time at={newest.time} as="relative" />, on <Time at={newest.time} as="moment" />.</p>
        <button type="button" class="button" onClick={() => setParams({ range: hourUpTo(newest.time) })}>Show the hour up to it</button>
      </Empty>
    )
  }
  if (!last.data) return last.error ? <ErrorBox error={last.error} again={last.again} /> : null
  return (
    <Empty title="No request yet">
      <p>Send the first one: make a key, change the base URL of your program, and it appears here by itself.</p>
      <a class="button main" href="/start">Show me how</a>
    </Empty>
  )
}

function hourUpTo(time: string): string {
  const at = Date.parse(time)
  return `${new Date(at - 3_600_000).toISOString()}..${new Date(at + 1000).toISOString()}`
}
