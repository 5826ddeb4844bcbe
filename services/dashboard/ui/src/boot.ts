// What the server put into the page, so that nothing has to be asked first.
import { parse } from './api'
import type { Items, Request } from './types'

export interface Boot {
  account: { id: string; name: string }
  user: { email: string; role: Role }
  /** Whether this account runs the installation. */
  operator: boolean
  /** Where programs send their requests. */
  base_url: string
  version: string
  /** Address of the part that draws charts; loaded when one is seen. */
  charts: string
  /** What the list of requests begins with, if the page is that. */
  first?: Items<Request>
}

export type Role = 'owner' | 'member' | 'viewer'

export const boot: Boot = parse(document.getElementById('boot')?.textContent ?? '{}')
boot.base_url ||= location.origin + '/proxy/v1'

/** The rows that came with the page, once: later they are old. */
export function takeFirst(): Items<Request> | undefined {
  const first = boot.first
  delete boot.first
  return first
}
