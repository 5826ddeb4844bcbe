// An API key, as the API returns it.
export interface Key {
  id: string
  name: string
  prefix: string
  state: 'active' | 'revoked' | 'expired'
  scopes: string[]
  models: string[]
  tags: string[]
  limits: { requests_per_minute: number; tokens_per_minute: number; concurrent_requests: number }
  budget: { nano_usd_per_day: number; nano_usd_per_month: number }
  may_swap_model: boolean
  baseline_model: string | null
  capture: 'full' | 'redacted' | 'none' | null
  error_format: 'flat' | 'openai' | null
  /** The user and the agent of all requests with the key; null if clients name them. */
  user: string | null
  agent: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  replaced_by: string | null
  last_used_at: string | null
  last_used_from: string | null
  /** The secret key. Only the response that created the key has it. */
  key?: string
}

const dayMs = 86_400_000

/** Whether the key was used within the last day. */
export const isInUse = (k: Key, now = Date.now()): boolean => k.last_used_at !== null && now - Date.parse(k.last_used_at) < dayMs

/** Whether the key is active and was not rotated. */
export const isCurrent = (k: Key): boolean => k.state === 'active' && k.replaced_by === null

/** Whether the key was rotated but still works beside its successor. */
export const isRotatingOut = (k: Key): boolean => k.state === 'active' && k.replaced_by !== null

/** Whether the key expires within 14 days. */
export const expiresSoon = (k: Key, now = Date.now()): boolean =>
  isCurrent(k) && k.expires_at !== null && Date.parse(k.expires_at) - now < 14 * dayMs

/** The API endpoints and models that the key may use, in words. */
export function describeAccess(k: Key): string {
  const calls = k.scopes.length === 0 ? 'All API endpoints' : k.scopes.join(', ')
  return k.models.length === 0 ? calls : `${calls} · ${k.models.length > 2 ? `${k.models.length} models` : k.models.join(', ')}`
}
