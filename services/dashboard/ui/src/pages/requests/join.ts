import type { Request } from '../../types'

const later = (x: Request, y: Request): boolean => x.time > y.time || (x.time === y.time && x.id > y.id)

/** Two lists as one, newest first, each request once. */
export function join(a: Request[], b: Request[]): Request[] {
  if (a.length === 0) return b
  const seen = new Set(a.map((r) => r.id))
  return [...a, ...b.filter((r) => !seen.has(r.id))].sort((x, y) => (later(x, y) ? -1 : 1))
}
