// The responses of the spend API.
import type { Nano } from '../../api'
import type { Sums } from '../../types'
import type { Group } from '../impact/types'

/** What names a group of a report. */
export type GroupLabel = Pick<Group, 'group' | 'name' | 'other'>

/** The steps of a report. */
export interface TimeSteps {
  from: string
  to: string | null
  step_seconds: number
}

/** A number of one step: dollars, requests or tokens. */
export interface Step {
  time: string
  value: number
}

/** The cost in one step of time. */
export interface StepCost {
  time: string
  cost_nano_usd: Nano
}

export interface SpendGroup extends Group {
  /** The cost over time; null if other_costs contains it. */
  costs: StepCost[] | null
}

/** Groups are ordered by cost, the largest first. */
export interface SpendData extends Sums, TimeSteps {
  series: (Sums & { time: string })[]
  groups: SpendGroup[]
  other_costs: StepCost[]
}

/** What the page shows per group. */
export type Measure = 'cost' | 'requests' | 'tokens'

/** The tokens are null if the report counts requests. Input contains tokens read from and written to caches. */
export interface VolumeSums {
  requests: number
  input_tokens: number | null
  output_tokens: number | null
}

export interface VolumeGroup extends VolumeSums, GroupLabel {
  /** Requests or tokens over time; null if other_values contains them. */
  values: Step[] | null
}

/** Groups are ordered by the measure, the largest first. */
export interface VolumeData extends VolumeSums, TimeSteps {
  groups: VolumeGroup[]
  other_values: Step[]
}

/** The spend of the current UTC month. Without a complete day of spend there is no forecast. */
export interface Forecast {
  spent_nano_usd: Nano
  per_day_nano_usd: Nano | null
  /** The number of complete days that per_day_nano_usd is the average of. */
  days: number
  forecast_nano_usd: Nano | null
  budget_nano_usd: Nano | null
  /** When the spend reaches the budget; null if it does not in this month. */
  reached_at: string | null
}

export interface MonthForecast {
  from: string
  to: string
  account: Forecast
  keys: (Forecast & { id: string; name: string })[]
}

/** The filter and the range of the page. */
export interface Scope {
  filter: string
  range: string
}
