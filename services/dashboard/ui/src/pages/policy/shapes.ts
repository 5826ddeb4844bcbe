// What the API tells of policies.
import type { Nano } from '../../api'

export interface Version {
  version: string
  created_at: string | null
  activated_at: string | null
  /** default, file, publish or rollback. */
  origin: string
  author: string
  note: string
  active: boolean
}

export interface Problem {
  path: string
  line: number
  column: number
  code: string
  message: string
  did_you_mean?: string
}

export interface PolicyState {
  version: Version & { document: string }
  /** A file rules: nothing can be published. */
  read_only: boolean
  file_fault: string
  file_problems: Problem[]
}

export interface Checked {
  problems: Problem[]
  version: string
}

export interface Difference {
  unified: string
  changes: { path: string; kind: string; old: string; new: string }[]
  from: string
  to: string
}

export interface Sums {
  requests: number
  flips: number
  refused: number
  served: number
  before_nano_usd: Nano
  after_nano_usd: Nano
  difference_nano_usd: Nano
  unpriced: number
}

export interface Replayed extends Sums {
  skipped: number
  truncated: boolean
  routes: (Sums & { group: string | null; other: boolean })[]
  losers: { id: string; difference_nano_usd: Nano; before: { model: string }; after: { model: string } }[]
}

export interface Decision {
  plan: { model: string; provider: string }[]
  reason: { code: string; text: string; rule: string } | null
  verdicts: { target: { model: string; provider: string } | null; code: string; text: string; predicted_nano_usd: Nano | null; quality: number }[]
  baseline_model: string
}

/** A version in a few letters, which is enough to name it. */
export const short = (version: string): string => version.slice(0, 12)

const origins: Record<string, string> = { default: 'Signalbox', file: 'the file' }

/** Who put it in force. */
export const by = (v: Version): string => v.author || (origins[v.origin] ?? 'the command line')

/** The faults of a document, if these are why something was refused. */
export function problemsOf(details: Record<string, unknown> | undefined): Problem[] {
  return Array.isArray(details?.problems) ? (details.problems as Problem[]) : []
}
