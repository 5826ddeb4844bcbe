// The API's rollouts, and how their figures are written.
import { formatDuration } from '../../format'
import { formatPercent, formatTotal } from '../../money'

export interface Check {
  name: 'errors' | 'latency' | 'cost' | 'signals' | 'feedback'
  verdict: 'breached' | 'suspect' | 'within' | 'open' | 'not_enough_data'
  stable: number | null
  candidate: number | null
  stable_samples: number
  candidate_samples: number
  worse: number | null
  low: number | null
  high: number | null
  limit: number
}

export interface Rollout {
  id: string
  revision: number
  state: 'running' | 'halted' | 'completed' | 'rolled_back' | 'superseded'
  stable_version: string
  candidate_version: string
  share: number
  started_at: string
  step_started_at: string
  ended_at: string | null
  author: string
  note: string
  reason: string
  guardrails: { step_seconds: number; min_requests: number; manual: boolean }
  events: { id: number; time: string; action: string; share: number; author: string; reason: string }[]
  step: number
  stable_requests: number
  candidate_requests: number
  checks: Check[]
}

/** The shares of a rollout, in hundredths of a percent. */
export const steps = [100, 1000, 5000, 10_000]

export const formatShare = (share: number): string => `${share / 100}\u00a0%`

export const isOpen = (r: Rollout): boolean => r.ended_at === null

export const stateNames: Record<Rollout['state'], string> = {
  running: 'Running', halted: 'Halted', completed: 'Completed', rolled_back: 'Rolled back', superseded: 'Ended by another version',
}

export const checkNames: Record<Check['name'], string> = {
  errors: 'Error rate', latency: 'Typical latency', cost: 'Mean cost', signals: 'Score by signals', feedback: 'Feedback',
}

export const verdictNames: Record<Check['verdict'], string> = {
  breached: 'Over the limit', suspect: 'Looks worse, not certain', within: 'Within the limit', open: 'No sign of trouble', not_enough_data: 'Not enough data yet',
}

export const actionNames: Record<string, string> = {
  start: 'Started', advance: 'Advanced', halt: 'Halted', roll_back: 'Rolled back', complete: 'Completed', supersede: 'Ended',
}

/** A figure of one version, in the unit of its guardrail. */
export function formatFigure(name: Check['name'], value: number | null): string {
  if (value === null) return '—'
  if (name === 'latency') return formatDuration(Math.round(value))
  if (name === 'cost') return formatTotal(BigInt(Math.round(value * 1000)))
  return formatPercent(100 * value)
}

const isRelative = (name: Check['name']): boolean => name === 'latency' || name === 'cost'

const signed = (v: number): string => (v > 0 ? '+' : v < 0 ? '−' : '') + Math.abs(v).toFixed(Math.abs(v) < 10 ? 1 : 0)

/** How much worse the new version is, with its interval; the interval is left out while it excludes nothing. */
export function formatWorse(c: Check): string {
  if (c.worse === null) return '—'
  const unit = isRelative(c.name) ? ' %' : ' points'
  const known = c.low !== null && c.high !== null && c.high - c.low < (isRelative(c.name) ? 10 : 1)
  return signed(100 * c.worse) + unit + (known ? ` (${signed(100 * c.low!)} to ${signed(100 * c.high!)})` : '')
}

export const formatLimit = (c: Check): string => `+${Number((100 * c.limit).toPrecision(3))}${isRelative(c.name) ? ' %' : ' points'}`
