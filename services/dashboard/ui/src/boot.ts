// Data that the server embeds in the page, so that the first render needs no
// API call.
import { parseJSON } from './api'
import type { Items, Request } from './types'

export interface Boot {
  account: { id: string; name: string }
  user: { email: string; role: Role }
  /** Whether this account operates the installation. */
  operator: boolean
  /** Whether the operator account has no owner yet. Only set on the overview. */
  unclaimed?: boolean
  /** The base URL that clients send their requests to. */
  base_url: string
  version: string
  /** URL of the chart library. It is loaded with the first chart. */
  charts: string
  /** The first page of the request list. Only set on /requests. */
  first?: Items<Request>
}

export type Role = 'owner' | 'member' | 'viewer'

export const boot: Boot = parseJSON(document.getElementById('boot')?.textContent ?? '{}')
boot.base_url ||= location.origin + '/proxy/v1'

/** Returns the embedded first page once. Later calls return undefined, because the rows are stale by then. */
export function takeFirstPage(): Items<Request> | undefined {
  const first = boot.first
  delete boot.first
  return first
}
