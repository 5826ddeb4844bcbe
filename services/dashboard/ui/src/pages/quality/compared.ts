// The report of experiments, and how its numbers are written.
import { formatCount } from '../../format'
import type { Estimate } from './report'

export interface ComparedPair {
  experiment: string
  served: string
  candidate: string
  judge: string
  task: string | null
  verdict: 'better' | 'not_worse' | 'worse' | 'not_enough_data'
  difference: number | null
  low: number
  high: number
  count: number
  more: number
  candidate_wins: number
  served_wins: number
  failed: number
  stopped: number
  consistent: number | null
  judge_is_compared: boolean
  agreement: Estimate
  candidate_cost_nano_usd: number
  judge_cost_nano_usd: number
}

export interface Experiments {
  from: string
  to: string
  confidence: number
  margin: number
  items: ComparedPair[]
}

/** How many comparisons have no verdict, and why. */
export const withoutVerdict = (p: ComparedPair): string => [p.failed > 0 ? `${formatCount(p.failed)} failed` : '', p.stopped > 0 ? `${formatCount(p.stopped)} stopped` : ''].filter(Boolean).join(', ')

const verdicts = { better: 'Better', not_worse: 'Not worse', worse: 'Worse' }

/** What the experiment proves, or how much data is missing. */
export function verdictText(p: ComparedPair): string {
  return p.verdict === 'not_enough_data' ? `Not enough data yet: about ${formatCount(p.more)} more` : verdicts[p.verdict]
}

const points = (v: number): string => (v > 0 ? '+' : v < 0 ? '−' : '') + Math.abs(100 * v).toFixed(0)

/** The difference in points with its interval, such as "+12 (+4 to +20)". */
export function formatDifference(p: ComparedPair): string {
  return p.difference === null ? 'No data' : `${points(p.difference)} (${points(p.low)} to ${points(p.high)})`
}

/** How far the judge can be trusted: with itself, and with people. */
export function formatAgreement(p: ComparedPair): string {
  const parts = p.consistent === null ? [] : [`${(100 * p.consistent).toFixed(0)} % consistent`]
  if (p.agreement.mean !== null) parts.push(`agrees with ${(100 * p.agreement.mean).toFixed(0)} % of ${formatCount(p.agreement.count)} ratings`)
  return parts.join(', ')
}
