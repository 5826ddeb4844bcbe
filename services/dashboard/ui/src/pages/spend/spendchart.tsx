import { useMemo } from 'preact/hooks'
import { Chart } from '../../components/chart'
import { formatAxisDollars, formatShare, formatTotal } from '../../money'
import { narrowFilter, requestsURL } from '../../requestlinks'
import type { Grouping } from '../impact/groups'
import { costSeries, groupName, stepRange, stepStarts } from './steps'
import type { Scope, SpendData } from './types'

/** The cost in each step of the range, stacked by group. Without a scope the values have no links. */
export function SpendChart({ data: d, by, scope }: { data: SpendData; by: Grouping; scope: Scope | null }) {
  const { starts, times, series, groups } = useMemo(() => {
    const starts = stepStarts(d)
    return { starts, times: starts.map((t) => new Date(t).toISOString()), ...costSeries(d, by, starts) }
  }, [d, by])
  const valueURL = (s: number, at: number) => {
    const group = groups[s]
    const filter = group && scope ? narrowFilter(scope.filter, by.by, group.group) : null
    return filter === null ? null : requestsURL(filter, stepRange(d, starts[at]!))
  }
  const top = d.groups.slice(0, 3).filter((g) => !g.other).map((g) => `${groupName(g, by)} ${formatShare(g.routed_nano_usd, d.routed_nano_usd)}`)
  return (
    <Chart
      label="Cost over time" kind="bars" height={240} brush={d.step_seconds} times={times} series={series} valueURL={valueURL}
      formatValue={(n) => formatTotal(BigInt(Math.round(n * 1e9)))} formatTicks={formatAxisDollars}
      summary={`${formatTotal(d.routed_nano_usd)} in total: ${top.join(', ')}.${d.step_seconds >= 86_400 ? ' One bar is a day (UTC).' : ''}`}
    />
  )
}
