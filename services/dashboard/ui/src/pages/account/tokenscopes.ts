// The choices for a new API token.
import type { Role } from '../../boot'
import type { TokenScope } from './types'

const scopeTexts: [TokenScope, string][] = [
  ['read', 'Read: view everything that you can view'],
  ['keys', 'Keys: create, change and revoke keys'],
  ['write', 'Write: other changes of the account'],
  ['policy', 'Policy: publish policies and drain providers'],
]

/** The scopes that a user can give to a token, with their texts. */
export function allowedScopes(role: Role, operator: boolean): [TokenScope, string][] {
  return scopeTexts.filter(([s]) => s === 'read' || (s === 'policy' ? operator && role === 'owner' : role !== 'viewer'))
}

export type Lifetime = '7' | '30' | '90' | '365'

export const lifetimes: [Lifetime, string][] = [['7', 'In 7 days'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year']]

/** Returns the time of expiry. now is in milliseconds. */
export function expiryAfter(days: Lifetime, now: number): string {
  return new Date(now + Number(days) * 86_400_000).toISOString()
}
