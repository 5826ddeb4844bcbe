// The requests or tokens of each group, over time and in a table.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useApiWithPrevious } from '../../api'
import { Chart } from '../../components/chart'
import { Await } from '../../components/states'
import { formatCount, formatTokens } from '../../format'
import { formatShare } from '../../money'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Grouping } from '../impact/groups'
import { chartSeries, groupName, stepRange, stepStarts } from './steps'
import { GroupLink } from './table'
import type { Measure, Scope, VolumeData, VolumeSums } from './types'

type Volume = Exclude<Measure, 'cost'>

/** The number of requests or tokens in a sum. */
export const measured = (s: VolumeSums, m: Volume): number => (m === 'requests' ? s.requests : (s.input_tokens ?? 0) + (s.output_tokens ?? 0))

export function VolumeReport({ by, scope, measure, query }: { by: Grouping; scope: Scope; measure: Volume; query: Record<string, string | null> }) {
  const loaded = useApiWithPrevious<VolumeData>(buildURL('/spend/volume', { measure, group_by: by.by, filter: scope.filter, ...query }))
  return (
    <Await of={loaded}>
      {(d) => <><VolumeChart data={d} by={by} scope={scope} measure={measure} /><VolumeTable data={d} by={by} scope={scope} measure={measure} /></>}
    </Await>
  )
}

interface Shown { data: VolumeData; by: Grouping; scope: Scope; measure: Volume }

function VolumeChart({ data: d, by, scope, measure }: Shown) {
  const { starts, times, series, groups } = useMemo(() => {
    const starts = stepStarts(d)
    return { starts, times: starts.map((t) => new Date(t).toISOString()), ...chartSeries(d.groups.map((g) => ({ group: g, steps: g.values })), d.other_values, by, starts) }
  }, [d, by])
  const valueURL = (s: number, at: number) => {
    const filter = groups[s] ? narrowFilter(scope.filter, by.by, groups[s].group) : null
    return filter === null ? null : requestsURL(filter, stepRange(d, starts[at]!))
  }
  const format = measure === 'tokens' ? formatTokens : formatCount
  const total = measured(d, measure)
  const top = d.groups.slice(0, 3).filter((g) => !g.other).map((g) => `${groupName(g, by)} ${formatShare(measured(g, measure), total)}`)
  return (
    <Chart
      label={measure === 'tokens' ? 'Tokens over time' : 'Requests over time'} kind="bars" height={240} brush={d.step_seconds} times={times} series={series} valueURL={valueURL}
      formatValue={format} formatTicks={(ticks) => ticks.map((n) => format(n).replace(/\.0+(?=[kM])/, ''))}
      summary={`${format(total)} ${measure} in total: ${top.join(', ')}.${d.step_seconds >= 86_400 ? ' One bar is a day (UTC).' : ''}`}
    />
  )
}

export function VolumeTable({ data: d, by, scope, measure }: Shown) {
  const total = measured(d, measure)
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={measure === 'tokens' ? 'Tokens by group' : 'Requests by group'}>
      <table class="table spendtable">
        <thead>
          <tr>
            <th scope="col">{by.name}</th>
            {measure === 'tokens' ? <><th scope="col" class="num" title="With tokens that were read from or written to a cache">Input tokens</th><th scope="col" class="num">Output tokens</th></> : null}
            <th scope="col" class={measure === 'tokens' ? 'num each' : 'num'}>Requests</th><th scope="col" class="num share">Share</th>
          </tr>
        </thead>
        <tbody>
          {d.groups.map((g) => {
            const filter = g.other ? null : narrowFilter(scope.filter, by.by, g.group)
            return (
              <tr key={g.other ? '*' : g.group}>
                <td class="group"><GroupLink g={g} by={by} filter={filter} /></td>
                <Cells of={g} measure={measure} link={(content) => (filter === null ? content : <a href={requestsURL(filter, scope.range)}>{content}</a>)} />
                <td class="num share">{formatShare(measured(g, measure), total)}</td>
              </tr>
            )
          })}
        </tbody>
        <tfoot><tr><td class="group">All</td><Cells of={d} measure={measure} link={(content) => <a href={requestsURL(scope.filter, scope.range)}>{content}</a>} /><td class="share" /></tr></tfoot>
      </table>
    </div>
  )
}

function Cells({ of: s, measure, link }: { of: VolumeSums; measure: Volume; link: (content: ComponentChildren) => ComponentChildren }) {
  return (
    <>
      {measure === 'tokens' ? <><td class="num">{link(formatCount(s.input_tokens ?? 0))}</td><td class="num">{link(formatCount(s.output_tokens ?? 0))}</td></> : null}
      <td class={measure === 'tokens' ? 'num each' : 'num'}>{link(formatCount(s.requests))}</td>
    </>
  )
}
