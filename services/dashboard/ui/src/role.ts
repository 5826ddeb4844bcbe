// The permissions of the signed-in user. The server enforces them. The pages use
// them to hide actions that the server would reject, and to explain why.
import { boot, type Role } from './boot'

const ranks: Record<Role, number> = { viewer: 1, member: 2, owner: 3 }

/** Whether the user has this role or a higher one. */
export const hasRole = (needed: Role): boolean => ranks[boot.user.role] >= ranks[needed]

/** Explains in a sentence why an action is not allowed. action completes "Only owners can …". */
export function explainMissingRole(needed: Role, action: string): string {
  const roles = needed === 'owner' ? 'owners' : 'members and owners'
  return `Only ${roles} can ${action}, and you are a ${boot.user.role}. Ask an owner of the account to change your role.`
}
