// The response of the impact API.
import type { Sums } from '../../types'

/** Sums of one group. */
export interface Group extends Sums {
  /** The common value of the group's requests; null if they have no value. */
  group: string | null
  name?: string
  /** Whether this group combines the smallest groups. */
  other?: boolean
}

export interface ImpactData extends Sums {
  from: string
  to: string | null
  groups: Group[]
  step_seconds: number
  series: (Sums & { time: string })[]
}
