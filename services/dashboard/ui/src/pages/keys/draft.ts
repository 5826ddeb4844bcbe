// A key's settings as somebody types them, and as the API takes them.
import { differing } from '../../differing'
import { limitDraft, limitMistake, limitsOf, noLimits, type LimitDraft } from '../../limits'
import type { Key } from './key'

export interface Draft extends LimitDraft {
  name: string
  scopes: string[]
  models: string
  tags: string
  /** '' never, 'keep' as it is, a number of days, or a date. */
  expires: string
  capture: string
  baseline: string
  errors: string
  swap: boolean
}

export const blank: Draft = { name: '', scopes: [], models: '', tags: '', expires: '', ...noLimits, capture: '', baseline: '', errors: '', swap: false }

export function draftOf(k: Key): Draft {
  return {
    name: k.name, scopes: k.scopes, models: k.models.join(', '), tags: k.tags.join(', '), expires: 'keep', ...limitDraft({ ...k.limits, ...k.budget }),
    capture: k.capture ?? '', baseline: k.baseline_model ?? '', errors: k.error_format ?? '', swap: k.may_swap_model,
  }
}

/** What is wrong with what was typed, and where; nothing if it can be sent. */
export const mistake = limitMistake

/** The settings as the API takes them. */
export function body(d: Draft, now = Date.now()): Record<string, unknown> {
  const { nano_usd_per_day, nano_usd_per_month, ...limits } = limitsOf(d)
  const out: Record<string, unknown> = {
    name: d.name.trim(), scopes: d.scopes, models: list(d.models), tags: list(d.tags), limits, budget: { nano_usd_per_day, nano_usd_per_month },
    capture: d.capture || null, baseline_model: d.baseline.trim() || null, error_format: d.errors || null, may_swap_model: d.swap,
  }
  if (d.expires !== 'keep') out.expires_at = expiry(d.expires, now)
  return out
}

/** Only what differs, so that what somebody else changed meanwhile stays. */
export function changes(before: Draft, after: Draft): Record<string, unknown> {
  return differing(body(before), body(after))
}

function expiry(text: string, now: number): string | null {
  if (text === '') return null
  if (/^\d{1,4}$/.test(text)) return new Date(now + Number(text) * 86_400_000).toISOString()
  // A date means all of that day, where the reader is.
  return new Date(`${text}T23:59:59`).toISOString()
}

const list = (text: string): string[] => [...new Set(text.split(',').map((w) => w.trim()).filter(Boolean))]
