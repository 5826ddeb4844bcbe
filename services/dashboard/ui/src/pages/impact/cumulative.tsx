import { useMemo } from 'preact/hooks'
import { Chart } from '../../components/chart'
import { toCostTriple } from '../../components/savings'
import { formatDateTime, pluralize } from '../../format'
import { formatAxisDollars, formatTotals } from '../../money'
import type { ImpactData } from './types'

/** A chart of the cumulative cost: with the default model, and with routing. */
export function Cumulative({ data }: { data: ImpactData }) {
  const costs = useMemo(() => accumulateCosts(data), [data])
  const text = formatTotals(toCostTriple(data))
  const series = useMemo(() => [
    { name: 'With default model', color: '--ink-3', dash: [6, 4], values: costs.baseline, endLabel: text.baseline },
    { name: 'With routing', color: '--c1', values: costs.routed, endLabel: text.routed },
  ], [costs])
  const formatAmount = (n: number) => text.write(BigInt(Math.round(n * 1e9)))
  return (
    <Chart
      label="Cumulative cost" kind="steps" height={240} brush={data.step_seconds} formatValue={formatAmount} formatTicks={formatAxisDollars} times={costs.times} series={series} timeSpan={[costs.times[0]!, costs.times.at(-1)!]}
      summary={`Cost until ${formatDateTime(costs.times.at(-1)!)}: ${text.baseline} with the default model, ${text.routed} with routing. One step is ${formatStep(data.step_seconds)}. The area between the lines shows ${BigInt(data.saved_nano_usd) < 0n ? 'the extra cost' : 'the savings'}.`}
      bands={[{ above: 0, below: 1, color: '--saved-area' }, { above: 1, below: 0, color: '--lost-area' }]}
    />
  )
}

const formatStep = (s: number): string => (s < 3600 ? pluralize(s / 60, 'minute') : s < 86_400 ? pluralize(s / 3600, 'hour') : 'a day')

/** Returns the cumulative costs up to the end of each step. The chart draws each value as a line that begins at the start of its step. */
export function accumulateCosts(d: ImpactData) {
  const at = (ms: number) => new Date(ms).toISOString()
  const [from, to] = [Date.parse(d.from), d.to ? Date.parse(d.to) : Date.now()]
  const steps = new Map(d.series.map((s) => [Date.parse(s.time), s]))
  const length = d.step_seconds * 1000
  const times = [at(from)], baseline = [0], routed = [0]
  let sums = { baseline: 0n, routed: 0n }
  for (let t = Math.floor(from / length) * length; t < to; t += length) {
    const s = steps.get(t)
    sums = { baseline: sums.baseline + BigInt(s?.baseline_nano_usd ?? 0), routed: sums.routed + BigInt(s?.routed_nano_usd ?? 0) }
    if (t > from) times.push(at(t))
    else baseline.pop(), routed.pop()
    baseline.push(Number(sums.baseline) / 1e9)
    routed.push(Number(sums.routed) / 1e9)
  }
  return { times: [...times, at(to)], baseline: [...baseline, baseline.at(-1)!], routed: [...routed, routed.at(-1)!] }
}
