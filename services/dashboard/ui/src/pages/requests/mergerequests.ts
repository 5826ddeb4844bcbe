import type { Request } from '../../types'

const isNewer = (x: Request, y: Request): boolean => x.time > y.time || (x.time === y.time && x.id > y.id)

/** Merges two lists, newest first, without duplicates. */
export function mergeRequests(a: Request[], b: Request[]): Request[] {
  if (a.length === 0) return b
  const seen = new Set(a.map((r) => r.id))
  return [...a, ...b.filter((r) => !seen.has(r.id))].sort((x, y) => (isNewer(x, y) ? -1 : 1))
}

/** Appends the next page of a sorted list, without duplicates. */
export function appendRequests(rows: Request[], next: Request[]): Request[] {
  const seen = new Set(rows.map((r) => r.id))
  return [...rows, ...next.filter((r) => !seen.has(r.id))]
}
