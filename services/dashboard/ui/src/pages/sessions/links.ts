import { buildURL } from '../../router'

/** Adds query parameters to an API path. */
export function withQuery(path: string, query: Record<string, string>): string {
  const more = buildURL('', query)
  return more === '' ? path : path + (path.includes('?') ? '&' + more.slice(1) : more)
}
