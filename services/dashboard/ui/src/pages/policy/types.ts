// Types of the API's responses about policies.
import type { Nano } from '../../api'
import type { Sums } from '../../types'

export interface Version {
  version: string
  created_at: string | null
  activated_at: string | null
  /** One of default, file, publish, rollback and rollout. */
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
  /** Whether the policy comes from a file. Then no version can be published here. */
  read_only: boolean
  file_fault: string
  file_problems: Problem[]
}

export interface RuleField {
  name: string
  value: string
}

export interface Rule {
  route: string
  index: number
  name: string | null
  /** Names the rule in records: its name, or select[index]. */
  label: string
  line: number
  when: RuleField[]
  action: RuleField[]
  /** The whole rule on one line. */
  text: string
  /** Selects the requests of this account that the rule decided; missing if no filter can. */
  filter?: string
  figures: RuleFigures | null
}

/** The sums of all accounts. */
export interface RuleFigures extends Sums {
  /** How many of the requests belong to this account. */
  account_requests: number
}

export interface RuleList {
  from: string
  version: string
  items: Rule[]
}

export interface ValidationResult {
  problems: Problem[]
  version: string
  /** Without figures; empty if the text is not valid YAML. */
  rules: Rule[]
}

export interface Difference {
  unified: string
  changes: { path: string; kind: string; old: string; new: string }[]
  from: string
  to: string
}

export interface ReplaySums {
  requests: number
  rerouted: number
  refused: number
  served: number
  before_nano_usd: Nano
  after_nano_usd: Nano
  difference_nano_usd: Nano
  unpriced: number
}

export interface ReplayGroup extends ReplaySums {
  group: string | null
  other: boolean
}

export interface ReplayResult extends ReplaySums {
  skipped: number
  truncated: boolean
  routes: ReplayGroup[]
  costlier: { id: string; difference_nano_usd: Nano; before: { model: string; effort: string | null }; after: { model: string; effort: string | null } }[]
}

export interface Decision {
  plan: { model: string; provider: string; effort: string }[]
  reason: { code: string; text: string; rule: string } | null
  verdicts: { candidate: { model: string; provider: string; effort: string } | null; code: string; text: string; predicted_nano_usd: Nano | null; quality: number }[]
  baseline_model: string
}

/** The first 12 characters of a version. They are enough to identify it. */
export const shortVersion = (version: string): string => version.slice(0, 12)

const originNames: Record<string, string> = { default: 'Signalbox', file: 'Policy file' }

/** Returns the user or the part of Signalbox that activated the version. */
export const authorName = (v: Version): string => v.author || (originNames[v.origin] ?? 'Command line')

/** Who changed the policy to the version, in words. The time follows. */
export function describeChange(v: Version): string {
  if (v.origin === 'default') return 'Signalbox generated the policy'
  if (v.origin === 'file') return 'The policy file changed'
  return `${v.author || 'The command line'} ${v.origin === 'rollback' ? 'rolled the policy back' : 'changed the policy'}`
}

/** The problems in the details of an error; empty if it has none. */
export function problemsFrom(details: Record<string, unknown> | undefined): Problem[] {
  return Array.isArray(details?.problems) ? (details.problems as Problem[]) : []
}
