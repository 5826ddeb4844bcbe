// Alerts and channels: their types, their words, and their form drafts.
import { escapeInvisible, formatCount } from '../../format'
import { formatPercent, formatTotal } from '../../money'

export type Unit = 'percent' | 'ms' | 'nano_usd' | 'days' | 'none'

export interface Kind {
  kind: string
  name: string
  about: string
  operator: boolean
  unit: Unit
  default: number
  /** Allowed windows in seconds, the default first; empty if the kind has none. */
  windows: number[]
  /** Whether min_requests applies. */
  requests: boolean
  runbook: string
}

export interface RuleBody {
  name: string
  kind: string
  threshold: number
  window_seconds: number
  min_requests: number
  enabled: boolean
  channels: string[]
}

export interface Rule extends RuleBody {
  id: string
  author: string
}

export type ChannelKind = 'webhook' | 'slack' | 'email'

/** A time of day in which a channel gets no messages, in minutes since midnight. */
export interface QuietHours {
  from: number
  to: number
  zone: string
}

export interface Channel {
  id: string
  name: string
  kind: ChannelKind
  /** Masked: of a URL it has only the host. */
  address: string
  signed: boolean
  quiet_hours: QuietHours | null
  last_error: string | null
  last_at: string | null
}

export interface AlertsData {
  kinds: Kind[]
  rules: Rule[]
  channels: Channel[]
  firing: { rule_id: string; subject: string | null; incident: string; since: string; value: number }[]
  events: { id: string; rule_id: string; firing: boolean; time: string; text: string }[]
  /** Whether the installation can send e-mail. */
  email: boolean
}

const unitFactors: Record<Unit, number> = { percent: 1, ms: 1, nano_usd: 1e9, days: 1, none: 1 }

export const unitLabels: Record<Unit, string> = { percent: 'Threshold in percent', ms: 'Threshold in milliseconds', nano_usd: 'Threshold in dollars', days: 'Threshold in days', none: '' }

/** A threshold as people type it. Money is in dollars. */
export const toTypedThreshold = (threshold: number, unit: Unit): string => String(threshold / unitFactors[unit])

/** Parses a typed threshold; null if it is not a number. */
export function parseThreshold(text: string, unit: Unit): number | null {
  const plain = text.trim().replaceAll(',', '').replace(/^\$/, '')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) * unitFactors[unit] : null
}

export function formatThreshold(v: number, unit: Unit): string {
  if (unit === 'percent') return `${formatCount(v)}\u00a0%`
  if (unit === 'ms') return v >= 1000 ? `${formatCount(v / 1000)} s` : `${formatCount(v)} ms`
  if (unit === 'nano_usd') return formatTotal(BigInt(Math.round(v)))
  return `${formatCount(v)} days`
}

export const formatWindow = (seconds: number): string =>
  seconds % 3600 === 0 ? (seconds === 3600 ? '1 hour' : `${seconds / 3600} hours`) : `${seconds / 60} minutes`

/** When a rule fires, in words. */
export function describeRule(r: RuleBody, k: Kind): string {
  const parts = [k.unit === 'none' ? k.about.replace(/\.$/, '') : `${k.name} ${k.unit === 'days' ? 'of at most' : 'of at least'} ${formatThreshold(r.threshold, k.unit)}`]
  if (r.window_seconds > 0) parts.push(`over ${formatWindow(r.window_seconds)}`)
  if (r.min_requests > 0) parts.push(`with at least ${formatCount(r.min_requests)} requests`)
  return parts.join(' ')
}

/** What a kind of alert measures now. The subject is null for kinds with a single value. */
export interface Reading {
  subject: string | null
  value: number
  /** What was counted; null if there was nothing to measure. */
  detail: string | null
}

/** What a kind measures now, in words. Of several subjects, it names the worst. */
export function describeNow(all: Reading[], k: Pick<Kind, 'unit'>): string {
  const name = (r: Reading) => (r.subject ? ` for ${escapeInvisible(r.subject)}` : '')
  if (k.unit === 'none') {
    const bad = all.filter((r) => r.value > 0)
    return bad.length === 0 ? 'The alert would not fire now.' : `The alert would fire now${bad.length === 1 ? name(bad[0]!) : ` for ${formatCount(bad.length)} subjects`}.`
  }
  const worst = [...all].sort((a, b) => (k.unit === 'days' ? a.value - b.value : b.value - a.value))[0]
  if (!worst) return 'There is nothing to measure now.'
  if (!worst.subject && worst.detail === null && worst.value === 0 && k.unit !== 'nano_usd') return 'Now: no requests in this time.'
  const value = k.unit === 'percent' ? formatPercent(worst.value) : formatThreshold(k.unit === 'nano_usd' ? worst.value : Math.round(worst.value), k.unit)
  return `Now ${value}${name(worst)}${worst.detail ? ` (${escapeInvisible(worst.detail)})` : ''}.`
}

/** A time of day such as 22:00. */
export const formatMinutes = (m: number): string => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`

/** Parses a time of day; null if it is none. */
export function parseMinutes(text: string): number | null {
  const m = /^(\d{1,2}):(\d{2})$/.exec(text.trim())
  return m && Number(m[1]) < 24 && Number(m[2]) < 60 ? Number(m[1]) * 60 + Number(m[2]) : null
}

export const newRule = (k: Kind): RuleBody => ({ name: k.name, kind: k.kind, threshold: k.default, window_seconds: k.windows[0] ?? 0, min_requests: k.requests ? 20 : 0, enabled: true, channels: [] })

/** What the page says while nothing fires: without alerts, the next step. */
export const describeQuiet = (d: Pick<AlertsData, 'rules'>): string => (d.rules.length > 0 ? 'Nothing is firing.' : 'There are no alerts yet. Create one, and choose where it is sent.')

/** A rule as it is typed in the form. */
export interface RuleDraft {
  body: RuleBody
  threshold: string
}

/** The draft of a rule, or of a new one, which is sent to the only channel. It leaves out channels that were deleted. */
export function toRuleDraft(r: Rule | undefined, d: AlertsData): RuleDraft {
  if (!r) return toNewDraft(d.kinds[0]!, d.channels.length === 1 ? [d.channels[0]!.id] : [])
  const kind = d.kinds.find((k) => k.kind === r.kind) ?? d.kinds[0]!
  const body = { name: r.name, kind: r.kind, threshold: r.threshold, window_seconds: r.window_seconds, min_requests: r.min_requests, enabled: r.enabled, channels: r.channels.filter((id) => d.channels.some((c) => c.id === id)) }
  return { body, threshold: toTypedThreshold(r.threshold, kind.unit) }
}

export const toNewDraft = (k: Kind, channels: string[]): RuleDraft => ({ body: { ...newRule(k), channels }, threshold: toTypedThreshold(k.default, k.unit) })
