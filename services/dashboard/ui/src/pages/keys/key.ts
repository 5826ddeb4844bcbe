// A key as its holder sees it.
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
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  replaced_by: string | null
  last_used_at: string | null
  last_used_from: string | null
  /** The key itself: only in the answer that made it. */
  key?: string
}

const day = 86_400_000

/** Whether somebody would notice if it ended now. */
export const inUse = (k: Key, now = Date.now()): boolean => k.last_used_at !== null && now - Date.parse(k.last_used_at) < day

/** Whether it works at the moment, and is not on its way out. */
export const current = (k: Key): boolean => k.state === 'active' && k.replaced_by === null

/** A rotated key that still works beside its successor. */
export const leaving = (k: Key): boolean => k.state === 'active' && k.replaced_by !== null

/** Whether it ends within the next fortnight. */
export const endsSoon = (k: Key, now = Date.now()): boolean =>
  current(k) && k.expires_at !== null && Date.parse(k.expires_at) - now < 14 * day

/** What the key may be used for, in words. */
export function uses(k: Key): string {
  const calls = k.scopes.length === 0 ? 'every call' : k.scopes.join(', ')
  return k.models.length === 0 ? calls : `${calls} · ${k.models.length > 2 ? `${k.models.length} models` : k.models.join(', ')}`
}
