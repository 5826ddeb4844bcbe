// Types of the API's responses about an account and its users.
import type { Role } from '../../boot'
import type { Limits } from '../../limits'

export interface Account {
  id: string
  name: string
  baseline_model: string | null
  capture: 'full' | 'redacted' | 'none' | null
  content_days: number | null
  created_at: string
  operator: boolean
  /** Limits of all keys together. */
  limits: Limits
  /** The URL that receives budget notices, and whether they are signed. */
  webhook: { url: string | null; signed: boolean }
  /** Whether experiments may compare models on the requests of the account. */
  allow_experiments: boolean
}

export interface User {
  id: string
  email: string
  role: Role
  created_at: string
}

export interface Invite {
  id: string
  role: Role
  new_account: boolean
  created_at: string
  expires_at: string
}

export interface NewInvite {
  id: string
  url: string
  expires_at: string
}

export interface SignIn {
  id: string
  created_at: string
  expires_at: string
  client: string
  current: boolean
}

export interface AuditEntry {
  id: number
  time: string
  email: string | null
  action: string
  subject: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

export type TokenScope = 'read' | 'write' | 'keys' | 'policy'

export interface Token {
  id: string
  name: string
  prefix: string
  scopes: TokenScope[]
  user_id: string
  email: string
  created_at: string
  expires_at: string
  last_used_at: string | null
  /** The token itself; only in the response that creates it. */
  token?: string
}
