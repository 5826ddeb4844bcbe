// The report of quality, and how its numbers are written.
import { formatCount } from '../../format'

export interface Estimate {
  count: number
  mean: number | null
  low: number
  high: number
  more: number
}

export interface QualityRow {
  model: string
  task: string | null
  feedback: Estimate
  signals: Estimate & { flagged: number; kinds: Record<string, number> }
}

export interface QualityReport {
  from: string
  to: string
  confidence: number
  target_width: number
  items: QualityRow[]
}

const percent = (v: number): string => (100 * v).toFixed(0)

/** A mean with its interval, such as "92 % (88–95)". Without data it says so. */
export function formatEstimate(e: Estimate): string {
  if (e.mean === null) return 'No data'
  return `${percent(e.mean)} % (${percent(e.low)}–${percent(e.high)})`
}

/** Says how much more data is needed, or "". */
export function missingData(e: Estimate, what: string): string {
  return e.more === 0 ? '' : `Not enough data yet: about ${formatCount(e.more)} more ${what}`
}

/** The kinds of signals, the most frequent first. */
export const topKinds = (kinds: Record<string, number>): [string, number][] => Object.entries(kinds).sort((a, b) => b[1] - a[1])
