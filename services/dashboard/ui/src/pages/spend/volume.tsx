// The requests or tokens of each group, over time and in a table.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useApiWithPrevious } from '../../api'
import { Tokens } from '../../components/basics'
import { Chart } from '../../components/chart'
import { Await } from '../../components/states'
import { formatCount, formatTokens, pluralize } from '../../format'
import { formatShare } from '../../money'
import { rangeNames } from '../../range'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Grouping } from '../impact/groups'
import { chartSeries, groupName, stepRange, stepStarts } from './steps'
import { GroupLink } from './table'
import type { Measure, Scope, VolumeData, VolumeSums } from './types'

type Volume = Exclude<Measure, 'cost'>

/** The number of requests or tokens in a sum. */
export const measured = (s: VolumeSums, m: Volume): number => (m === 'requests' ? s.requests : (s.input_tokens ?? 0) + (s.output_tokens ?? 0))

interface VolumeProps { by: Grouping; scope: Scope; measure: Volume; query: Record<string, string | null> }

const useVolume = ({ by, scope, measure, query }: VolumeProps) => useApiWithPrevious<VolumeData>(buildURL('/spend/volume', { measure, group_by: by.by, filter: scope.filter, ...query }))

export function VolumeReport({ by, scope, measure, query }: VolumeProps) {
  const loaded = useVolume({ by, scope, measure, query })
  return (
    <Await of={loaded}>
      {(d) => <><VolumeChart data={d} by={by} scope={scope} measure={measure} /><VolumeTable data={d} by={by} scope={scope} measure={measure} /></>}
    </Await>
  )
}

/** The headline of the page for requests or tokens. It reserves its line while it loads. */
export function VolumeHeadline(p: VolumeProps) {
  const { data } = useVolume(p)
  return <p class="headline">{data ? <VolumeSentence data={data} {...p} /> : '\u00a0'}</p>
}

export function VolumeSentence({ data: d, by, scope, measure }: Shown) {
  const total = measured(d, measure)
  const first = d.groups.filter((g) => !g.other && g.group !== null).sort((a, b) => measured(b, measure) - measured(a, measure))[0]
  const format = measure === 'tokens' ? formatTokens : formatCount
  const range = rangeNames[scope.range] ? ` in the ${rangeNames[scope.range]!.toLowerCase()}` : ''
  const requests = <a href={requestsURL(scope.filter, scope.range)}>{pluralize(d.requests, 'request')}</a>
  const filter = first ? narrowFilter(scope.filter, by.by, first.group) : null
  return (
    <>
      {measure === 'tokens' ? <>{requests} used <b>{format(total)} tokens</b>{range}.</> : <>{requests}{range}.</>}
      {first && measured(first, measure) > 0 ? <>{' '}The {by.name.toLowerCase()} {filter ? <a href={requestsURL(filter, scope.range)}>{groupName(first, by)}</a> : groupName(first, by)} {measure === 'tokens' ? 'used' : 'had'} most: <b>{format(measured(first, measure))}</b> ({formatShare(measured(first, measure), total)}).</> : null}
    </>
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
      {measure === 'tokens' ? <><td class="num">{link(<Tokens n={s.input_tokens ?? 0} />)}</td><td class="num">{link(<Tokens n={s.output_tokens ?? 0} />)}</td></> : null}
      <td class={measure === 'tokens' ? 'num each' : 'num'}>{link(formatCount(s.requests))}</td>
    </>
  )
}
