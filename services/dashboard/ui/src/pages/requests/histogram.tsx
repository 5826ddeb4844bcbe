import { Chart } from '../../components/chart'
import { count, plural } from '../../format'

export interface HistogramData {
  from: string
  to: string
  step_seconds: number
  buckets: { time: string; expected: number; fallback: number; policy: number; error: number }[]
}

const ways = [
  ['expected', 'Expected', '--line-strong', ''],
  ['fallback', 'Fallback', '--fallback-fill', 'fell back'],
  ['policy', 'Policy', '--policy-fill', 'went by policy'],
  ['error', 'Error', '--error-fill', 'failed'],
] as const

/** Every step of the span, those without requests included. */
function filled(d: HistogramData) {
  const step = d.step_seconds * 1000
  const have = new Map(d.buckets.map((b) => [Date.parse(b.time), b]))
  const out: { time: string; expected: number; fallback: number; policy: number; error: number }[] = []
  for (let t = Math.floor(Date.parse(d.from) / step) * step; t < Date.parse(d.to); t += step) {
    out.push(have.get(t) ?? { time: new Date(t).toISOString(), expected: 0, fallback: 0, policy: 0, error: 0 })
  }
  return out
}

/** Requests over time, by the way they went. */
export function Histogram({ data, height = 84 }: { data: HistogramData; height?: number }) {
  const all = filled(data)
  const sum = (k: (typeof ways)[number][0]) => all.reduce((n, b) => n + b[k], 0)
  const total = ways.reduce((n, [k]) => n + sum(k), 0)
  const others = ways.slice(1).filter(([k]) => sum(k) > 0).map(([k, , , did]) => `${count(sum(k))} ${did}`)
  return (
    <Chart
      label="Requests over time" kind="bars" whole height={height} value={(n) => count(n)} times={all.map((b) => b.time)}
      summary={`${plural(total, 'request')}${others.length ? ', of these ' + others.join(', ') : ''}.`}
      series={ways.map(([k, name, colour]) => ({ name, colour, values: all.map((b) => b[k]) }))}
    />
  )
}
