// Limits of keys and of the account: their values, their usage, and their form
// fields. Days and months are in UTC. Zero means no limit.
import { type Nano, useApi } from './api'
import { formatExact } from './money'
import { buildURL } from './router'

export interface Limits {
  requests_per_minute: number
  tokens_per_minute: number
  concurrent_requests: number
  nano_usd_per_day: number
  nano_usd_per_month: number
}

export interface Spent {
  nano_usd: Nano
  resets_at: string
}

/** A request that a limit rejected. */
export interface Rejection {
  time: string
  code: string
  /** The limit that was reached; null if it is unknown. */
  name: string | null
  /** Whether the limit belongs to the key, to the account or to a group budget; null if it is unknown. */
  scope: 'key' | 'account' | 'budget' | null
  /** The error message that the client received. */
  error: string
  key_id: string
  request_id: string
}

export interface Usage {
  limits: Limits
  spent: { day: Spent; month: Spent }
  /** The newest rejected requests, newest first. */
  refusals: Rejection[]
}

export interface LimitUsage {
  /** Usage of all keys together. */
  account: Usage
  keys: (Usage & { id: string; name: string; state: string | null })[]
}

/** Loads the usage of all limits, or of the limits of one key. */
export const useLimitUsage = (key?: string) => useApi<LimitUsage>(buildURL('/limits', { key: key ?? null }))

/** Key names by key id. */
export const keyNamesById = (all: LimitUsage): Map<string, string> => new Map(all.keys.map((k) => [k.id, k.name]))

/** Limits as typed into a form. An empty string means no limit. */
export interface LimitDraft {
  requests: string
  tokens: string
  concurrent: string
  perDay: string
  perMonth: string
}

export const noLimits: LimitDraft = { requests: '', tokens: '', concurrent: '', perDay: '', perMonth: '' }

/** Every limit: its name in the API, its field in LimitDraft, and its label. */
export const limitFields = [
  ['requests_per_minute', 'requests', 'Requests per minute'],
  ['tokens_per_minute', 'tokens', 'Tokens per minute'],
  ['concurrent_requests', 'concurrent', 'Concurrent requests'],
  ['nano_usd_per_day', 'perDay', 'Dollars per day'],
  ['nano_usd_per_month', 'perMonth', 'Dollars per month'],
] as const

/** The names under which the API may report an invalid limit. */
export const limitParams: string[] = limitFields.flatMap(([name]) => [name, `limits.${name}`, `budget.${name}`])

const isMoneyLimit = (name: string): boolean => name.startsWith('nano_usd')

export function toLimitDraft(l: Limits): LimitDraft {
  const typed = ([name, field]: (typeof limitFields)[number]) => [field, l[name] === 0 ? '' : isMoneyLimit(name) ? formatExact(l[name]).slice(1).replaceAll(',', '') : String(l[name])]
  return Object.fromEntries(limitFields.map(typed)) as unknown as LimitDraft
}

/** Returns the parameter and the error message of the first invalid limit, or null. */
export function findLimitError(d: LimitDraft): { param: string; message: string } | null {
  for (const [name, field] of limitFields) {
    if (!d[field].trim() || parseLimit(name, d[field]) !== null) continue
    return { param: name, message: isMoneyLimit(name) ? 'Enter an amount in dollars, such as 10 or 0.50, up to 9,000,000. Leave the field empty for no limit.' : 'Enter a whole number, such as 600. Leave the field empty for no limit.' }
  }
  return null
}

export function parseLimits(d: LimitDraft): Limits {
  return Object.fromEntries(limitFields.map(([name, field]) => [name, parseLimit(name, d[field]) ?? 0])) as unknown as Limits
}

const parseLimit = (name: string, text: string): number | null => (isMoneyLimit(name) ? parseDollars(text) : parseWholeNumber(text))

function parseWholeNumber(text: string): number | null {
  const t = text.trim().replaceAll(',', '')
  return /^\d{1,15}$/.test(t) ? Number(t) : null
}

/** Converts dollars to nano-USD digit by digit, so that no rounding happens. */
export function parseDollars(text: string): number | null {
  const m = /^\$?(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text.trim().replaceAll(',', ''))
  if (!m || Number(m[1]) > 9_000_000) return null
  return Number(m[1]) * 1_000_000_000 + Number((m[2] ?? '').padEnd(9, '0'))
}
