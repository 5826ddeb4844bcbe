import { useMemo } from 'preact/hooks'
import { Chart } from '../../components/chart'
import { formatCount, pluralize } from '../../format'

export interface HistogramData {
  from: string
  to: string
  step_seconds: number
  buckets: { time: string; expected: number; fallback: number; policy: number; error: number }[]
}

const routeKinds = [
  ['expected', 'Expected', '--line-strong', ''],
  ['fallback', 'Fallback', '--fallback-fill', 'used a fallback'],
  ['policy', 'Policy', '--policy-fill', 'were routed by a policy rule or a requirement'],
  ['error', 'Error', '--error-fill', 'failed or were rejected'],
] as const

/** Returns every bucket of the range, including those without requests. */
export function fillBuckets(d: HistogramData) {
  const step = d.step_seconds * 1000
  const have = new Map(d.buckets.map((b) => [Date.parse(b.time), b]))
  const out: { time: string; expected: number; fallback: number; policy: number; error: number }[] = []
  for (let t = Math.floor(Date.parse(d.from) / step) * step; t < Date.parse(d.to); t += step) {
    out.push(have.get(t) ?? { time: new Date(t).toISOString(), expected: 0, fallback: 0, policy: 0, error: 0 })
  }
  return out
}

/** Requests over time by route. The chart is drawn again only for other data, not whenever a live request arrives. */
export function Histogram({ data, height = 84 }: { data: HistogramData; height?: number }) {
  const { all, times, series } = useMemo(() => chartOf(data), [data])
  const sum = (k: (typeof routeKinds)[number][0]) => all.reduce((n, b) => n + b[k], 0)
  const total = routeKinds.reduce((n, [k]) => n + sum(k), 0)
  const others = routeKinds.slice(1).filter(([k]) => sum(k) > 0).map(([k, , , did]) => `${formatCount(sum(k))} ${sum(k) === 1 ? did.replace('were ', 'was ') : did}`)
  return (
    <Chart
      label="Requests over time" kind="bars" integers brush={data.step_seconds} height={height} formatValue={(n) => formatCount(n)} times={times}
      summary={`${pluralize(total, 'request')}${others.length ? ': ' + others.join(', ') : ''}.`}
      series={series}
    />
  )
}

function chartOf(data: HistogramData) {
  const all = fillBuckets(data)
  return { all, times: all.map((b) => b.time), series: routeKinds.map(([k, name, color]) => ({ name, color, values: all.map((b) => b[k]) })) }
}
