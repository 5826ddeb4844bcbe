// Converts a spend report into the series of a chart.
import type { Series } from '../../components/charttypes'
import { escapeInvisible } from '../../format'
import type { Grouping } from '../impact/groups'
import type { GroupLabel, SpendData, Step, StepCost, TimeSteps } from './types'

/** The display name of a group. */
export const groupName = (g: GroupLabel, by: Grouping): string => (g.other ? 'All others' : escapeInvisible(g.name || g.group || by.none))

/** The start of every step of the range, in milliseconds since 1970. */
export function stepStarts(d: TimeSteps, now = Date.now()): number[] {
  const step = d.step_seconds * 1000
  const out: number[] = []
  for (let t = Math.floor(Date.parse(d.from) / step) * step; t < (d.to ? Date.parse(d.to) : now); t += step) out.push(t)
  return out
}

/** The groups of a chart, the largest last, so that it is on top of no other. The groups without their own values share one series. */
export function chartSeries<G extends GroupLabel>(charted: { group: G; steps: Step[] | null }[], others: Step[], by: Grouping, starts: number[]): { series: Series[]; groups: (G | null)[] } {
  const own = charted.filter((c) => c.steps !== null)
  const series = own.map((c, i) => ({ name: groupName(c.group, by), color: `--c${i + 1}`, values: valuesByStep(c.steps!, starts) }))
  const groups = own.map((c) => c.group)
  if (others.length === 0) return { series, groups }
  return { series: [...series, { name: 'Others', color: '--line-strong', values: valuesByStep(others, starts) }], groups: [...groups, null] }
}

const valuesByStep = (steps: Step[], starts: number[]): number[] => {
  const byStart = new Map(steps.map((s) => [Date.parse(s.time), s.value]))
  return starts.map((t) => byStart.get(t) ?? 0)
}

/** The costs of a spend report as a chart, in dollars. */
export function costSeries(d: SpendData, by: Grouping, starts: number[]) {
  const dollars = (costs: StepCost[]): Step[] => costs.map((c) => ({ time: c.time, value: Number(c.cost_nano_usd) / 1e9 }))
  return chartSeries(d.groups.map((g) => ({ group: g, steps: g.costs && dollars(g.costs) })), dollars(d.other_costs), by, starts)
}

/** The range of one step, within the range of the report. */
export function stepRange(d: TimeSteps, start: number): string {
  const from = Math.max(start, Date.parse(d.from))
  const to = Math.min(start + d.step_seconds * 1000, d.to ? Date.parse(d.to) : Infinity)
  return `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
}
