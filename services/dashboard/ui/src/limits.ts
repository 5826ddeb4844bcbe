// Limits of a key or of the account: what they are, what is used of them, and
// how somebody types them. Days and months are those of UTC; 0 is no limit.
import { type Nano, useApi } from './api'
import { exact } from './money'
import { address } from './router'

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

/** A request that a limit kept from being served. */
export interface Refusal {
  time: string
  code: string
  /** Which limit it was, and whose. */
  name: string | null
  scope: 'key' | 'account' | null
  /** What the client was told. */
  error: string
  key_id: string
  request_id: string
}

export interface Usage {
  limits: Limits
  spent: { day: Spent; month: Spent }
  /** The newest ones. */
  refusals: Refusal[]
}

export interface AllUsage {
  /** All keys together. */
  account: Usage
  keys: (Usage & { id: string; name: string; state: string | null })[]
}

/** What is used of all limits, or of those of one key. */
export const useUsage = (key?: string) => useApi<AllUsage>(address('/limits', { key: key ?? null }))

/** What the keys are called, by their ids. */
export const namesOf = (all: AllUsage): Map<string, string> => new Map(all.keys.map((k) => [k.id, k.name]))

/** Limits as somebody types them; empty is none. */
export interface LimitDraft {
  requests: string
  tokens: string
  concurrent: string
  perDay: string
  perMonth: string
}

export const noLimits: LimitDraft = { requests: '', tokens: '', concurrent: '', perDay: '', perMonth: '' }

/** Every limit: its name in the API, its field, and what people call it. */
export const limitFields = [
  ['requests_per_minute', 'requests', 'Requests a minute'],
  ['tokens_per_minute', 'tokens', 'Tokens a minute'],
  ['concurrent_requests', 'concurrent', 'At the same time'],
  ['nano_usd_per_day', 'perDay', 'Dollars a day'],
  ['nano_usd_per_month', 'perMonth', 'Dollars a month'],
] as const

/** What a limit may be called where it is wrong. */
export const limitParams: string[] = limitFields.flatMap(([name]) => [name, `limits.${name}`, `budget.${name}`])

const money = (name: string): boolean => name.startsWith('nano_usd')

export function limitDraft(l: Limits): LimitDraft {
  const typed = ([name, field]: (typeof limitFields)[number]) => [field, l[name] === 0 ? '' : money(name) ? exact(l[name]).slice(1).replaceAll(',', '') : String(l[name])]
  return Object.fromEntries(limitFields.map(typed)) as unknown as LimitDraft
}

/** What is wrong with what was typed, and where; nothing if it can be sent. */
export function limitMistake(d: LimitDraft): { param: string; message: string } | null {
  for (const [name, field] of limitFields) {
    if (!d[field].trim() || read(name, d[field]) !== null) continue
    return { param: name, message: money(name) ? 'dollars, such as 10 or 0.50, up to 9,000,000; empty is no limit' : 'a whole number, such as 600; empty is no limit' }
  }
  return null
}

export function limitsOf(d: LimitDraft): Limits {
  return Object.fromEntries(limitFields.map(([name, field]) => [name, read(name, d[field]) ?? 0])) as unknown as Limits
}

const read = (name: string, text: string): number | null => (money(name) ? nano(text) : whole(text))

function whole(text: string): number | null {
  const t = text.trim().replaceAll(',', '')
  return /^\d{1,15}$/.test(t) ? Number(t) : null
}

/** Nano-USD of an amount in dollars, out of its digits alone. */
function nano(text: string): number | null {
  const m = /^\$?(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text.trim().replaceAll(',', ''))
  if (!m || Number(m[1]) > 9_000_000) return null
  return Number(m[1]) * 1_000_000_000 + Number((m[2] ?? '').padEnd(9, '0'))
}
