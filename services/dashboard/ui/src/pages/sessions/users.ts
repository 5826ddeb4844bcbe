// The store keeps only the last user of a session. The requests of the session name all.
import type { Request } from '../../types'

/** Returns the users of a session, the last one first. */
export function namedUsers(s: { user: string | null }, requests: Pick<Request, 'user'>[]): string[] {
  return [...new Set([s.user, ...requests.map((r) => r.user)])].filter((u): u is string => !!u)
}
