// A key's settings as somebody types them, and as the API takes them.
import { exact } from '../../money'
import type { Key } from './key'

export interface Draft {
  name: string
  scopes: string[]
  models: string
  tags: string
  /** '' never, 'keep' as it is, a number of days, or a date. */
  expires: string
  requests: string
  tokens: string
  concurrent: string
  perDay: string
  perMonth: string
  capture: string
  baseline: string
  errors: string
  swap: boolean
}

export const blank: Draft = {
  name: '', scopes: [], models: '', tags: '', expires: '', requests: '', tokens: '', concurrent: '',
  perDay: '', perMonth: '', capture: '', baseline: '', errors: '', swap: false,
}

export function draftOf(k: Key): Draft {
  const dollars = (nano: number) => (nano ? exact(nano).slice(1).replaceAll(',', '') : '')
  const number = (n: number) => (n ? String(n) : '')
  return {
    name: k.name, scopes: k.scopes, models: k.models.join(', '), tags: k.tags.join(', '), expires: 'keep',
    requests: number(k.limits.requests_per_minute), tokens: number(k.limits.tokens_per_minute), concurrent: number(k.limits.concurrent_requests),
    perDay: dollars(k.budget.nano_usd_per_day), perMonth: dollars(k.budget.nano_usd_per_month),
    capture: k.capture ?? '', baseline: k.baseline_model ?? '', errors: k.error_format ?? '', swap: k.may_swap_model,
  }
}

/** What is wrong with what was typed, and where; nothing if it can be sent. */
export function mistake(d: Draft): { param: string; message: string } | null {
  for (const [param, text] of [['requests_per_minute', d.requests], ['tokens_per_minute', d.tokens], ['concurrent_requests', d.concurrent]] as const) {
    if (text.trim() && whole(text) === null) return { param, message: 'a whole number, such as 600; empty is no limit' }
  }
  for (const [param, text] of [['nano_usd_per_day', d.perDay], ['nano_usd_per_month', d.perMonth]] as const) {
    if (text.trim() && nano(text) === null) return { param, message: 'dollars, such as 10 or 0.50, up to 9,000,000; empty is no limit' }
  }
  return null
}

/** The settings as the API takes them. */
export function body(d: Draft, now = Date.now()): Record<string, unknown> {
  const out: Record<string, unknown> = {
    name: d.name.trim(), scopes: d.scopes, models: list(d.models), tags: list(d.tags),
    limits: { requests_per_minute: whole(d.requests) ?? 0, tokens_per_minute: whole(d.tokens) ?? 0, concurrent_requests: whole(d.concurrent) ?? 0 },
    budget: { nano_usd_per_day: nano(d.perDay) ?? 0, nano_usd_per_month: nano(d.perMonth) ?? 0 },
    capture: d.capture || null, baseline_model: d.baseline.trim() || null, error_format: d.errors || null, may_swap_model: d.swap,
  }
  if (d.expires !== 'keep') out.expires_at = expiry(d.expires, now)
  return out
}

/** Only what differs, so that what somebody else changed meanwhile stays. */
export function changes(before: Draft, after: Draft): Record<string, unknown> {
  return differing(body(before), body(after))
}

function differing(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(b)) {
    if (JSON.stringify(a[name]) === JSON.stringify(value)) continue
    const nested = value !== null && typeof value === 'object' && !Array.isArray(value)
    out[name] = nested ? differing(a[name] as Record<string, unknown>, value as Record<string, unknown>) : value
  }
  return out
}

function expiry(text: string, now: number): string | null {
  if (text === '') return null
  if (/^\d{1,4}$/.test(text)) return new Date(now + Number(text) * 86_400_000).toISOString()
  // A date means all of that day, where the reader is.
  return new Date(`${text}T23:59:59`).toISOString()
}

const list = (text: string): string[] => [...new Set(text.split(',').map((w) => w.trim()).filter(Boolean))]

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
