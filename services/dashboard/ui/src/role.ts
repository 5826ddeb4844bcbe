// What the reader may do. The server decides; this only keeps people from
// trying in vain, and tells them why.
import { boot, type Role } from './boot'

const ranks: Record<Role, number> = { viewer: 1, member: 2, owner: 3 }

/** Whether the reader's role is at least this one. */
export const may = (need: Role): boolean => ranks[boot.user.role] >= ranks[need]

/** Why something is not allowed, in a sentence. */
export function whyNot(need: Role, what: string): string {
  const who = need === 'owner' ? 'Owners' : 'Members and owners'
  return `${who} ${what}; you are a ${boot.user.role}. An owner of the account can change that.`
}
