// What the server put into the page, so that nothing has to be asked first.
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
}

export type Role = 'owner' | 'member' | 'viewer'

export const boot: Boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}')
boot.base_url ||= location.origin + '/proxy/v1'
