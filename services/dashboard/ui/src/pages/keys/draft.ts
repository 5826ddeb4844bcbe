// A key's settings as form fields, and as the API's request body.
import { pickChangedFields } from '../../changedfields'
import { type LimitDraft, noLimits, parseLimits, toLimitDraft } from '../../limits'
import type { Key } from './key'

export interface Draft extends LimitDraft {
  name: string
  scopes: string[]
  models: string
  tags: string
  /** '' for never, 'keep' for no change, a number of days, or a date. */
  expires: string
  capture: string
  baseline: string
  errorFormat: string
  maySwapModel: boolean
  user: string
  agent: string
}

export const emptyDraft: Draft = { name: '', scopes: [], models: '', tags: '', expires: '', ...noLimits, capture: '', baseline: '', errorFormat: '', maySwapModel: false, user: '', agent: '' }

export function toDraft(k: Key): Draft {
  return {
    name: k.name, scopes: k.scopes, models: k.models.join(', '), tags: k.tags.join(', '), expires: 'keep', ...toLimitDraft({ ...k.limits, ...k.budget }),
    capture: k.capture ?? '', baseline: k.baseline_model ?? '', errorFormat: k.error_format ?? '', maySwapModel: k.may_swap_model,
    user: k.user ?? '', agent: k.agent ?? '',
  }
}

/** Converts a draft into the API's request body. */
export function toRequestBody(d: Draft, now = Date.now()): Record<string, unknown> {
  const { nano_usd_per_day, nano_usd_per_month, ...limits } = parseLimits(d)
  const out: Record<string, unknown> = {
    name: d.name.trim(), scopes: d.scopes, models: splitList(d.models), tags: splitList(d.tags), limits, budget: { nano_usd_per_day, nano_usd_per_month },
    capture: d.capture || null, baseline_model: d.baseline.trim() || null, error_format: d.errorFormat || null, may_swap_model: d.maySwapModel,
    user: d.user.trim() || null, agent: d.agent.trim() || null,
  }
  if (d.expires !== 'keep') out.expires_at = parseExpiry(d.expires, now)
  return out
}

/** Returns only the changed settings. Thus the update does not overwrite other settings that another user changed in the meantime. */
export function changedSettings(before: Draft, after: Draft): Record<string, unknown> {
  return pickChangedFields(toRequestBody(before), toRequestBody(after))
}

function parseExpiry(text: string, now: number): string | null {
  if (text === '') return null
  if (/^\d{1,4}$/.test(text)) return new Date(now + Number(text) * 86_400_000).toISOString()
  // A key with a date is valid until the end of that day in the user's time zone.
  return new Date(`${text}T23:59:59`).toISOString()
}

const splitList = (text: string): string[] => [...new Set(text.split(',').map((w) => w.trim()).filter(Boolean))]
