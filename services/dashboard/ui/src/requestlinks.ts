// Links from a figure to the requests that it counts.
import { filterTerm, splitFilter } from './filter'
import { defaultRange } from './range'
import { buildURL } from './router'

/** The URL of the request list with a filter and a range. */
export function requestsURL(filter: string, range: string): string {
  return buildURL('/requests', { q: filter, range: range === defaultRange ? null : range })
}

/** The URL of a session's page. */
export const sessionURL = (id: string): string => '/sessions/' + encodeURIComponent(id)

/** The longest filter that the server accepts, in bytes. */
const maxFilterBytes = 400

/**
 * Narrows a filter to the requests with this value in a field. The value null
 * selects the requests without a value. A filter with several values of one field
 * matches any of them, so the new value replaces the others. Returns null if no
 * filter can express the value.
 */
export function narrowFilter(filter: string, field: string, value: string | null): string | null {
  if (value === null) return [...splitFilter(filter), `-${field}:*`].join(' ')
  const terms = splitFilter(filter).filter((w) => !w.startsWith(field + ':'))
  const text = [...terms, filterTerm(field, value)].join(' ')
  return /["\p{Cc}]/u.test(value) || new TextEncoder().encode(text).length > maxFilterBytes ? null : text
}
