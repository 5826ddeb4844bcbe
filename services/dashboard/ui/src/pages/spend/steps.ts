// Converts a spend report into the series of a chart.
import type { Nano } from '../../api'
import type { Series } from '../../components/charttypes'
import { escapeInvisible } from '../../format'
import type { Grouping } from '../impact/groups'
import type { SpendData, SpendGroup, StepCost } from './types'

/** The display name of a group. */
export const groupName = (g: SpendGroup, by: Grouping): string => (g.other ? 'All others' : escapeInvisible(g.name || g.group || by.none))

/** The start of every step of the range, in milliseconds since 1970. */
export function stepStarts(d: SpendData, now = Date.now()): number[] {
  const step = d.step_seconds * 1000
  const out: number[] = []
  for (let t = Math.floor(Date.parse(d.from) / step) * step; t < (d.to ? Date.parse(d.to) : now); t += step) out.push(t)
  return out
}

/** The groups of a chart, the largest last, so that it is on top of no other. The groups without their own costs share one series. */
export function chartSeries(d: SpendData, by: Grouping, starts: number[]): { series: Series[]; groups: (SpendGroup | null)[] } {
  const charted = d.groups.filter((g) => g.costs !== null)
  const series = charted.map((g, i) => ({ name: groupName(g, by), color: `--c${i + 1}`, values: dollarsByStep(g.costs!, starts) }))
  if (d.other_costs.length === 0) return { series, groups: charted }
  return { series: [...series, { name: 'Others', color: '--line-strong', values: dollarsByStep(d.other_costs, starts) }], groups: [...charted, null] }
}

const dollarsByStep = (costs: StepCost[], starts: number[]): number[] => {
  const byStart = new Map(costs.map((c) => [Date.parse(c.time), c.cost_nano_usd]))
  return starts.map((t) => toDollars(byStart.get(t) ?? 0))
}

const toDollars = (nano: Nano): number => Number(nano) / 1e9

/** The range of one step, within the range of the report. */
export function stepRange(d: SpendData, start: number): string {
  const from = Math.max(start, Date.parse(d.from))
  const to = Math.min(start + d.step_seconds * 1000, d.to ? Date.parse(d.to) : Infinity)
  return `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
}
