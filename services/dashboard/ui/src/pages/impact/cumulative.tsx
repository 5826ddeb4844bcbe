import { useMemo } from 'preact/hooks'
import { triple } from '../../components/kept'
import { Chart } from '../../components/chart'
import { moment, plural } from '../../format'
import { dollars, totals } from '../../money'
import type { ImpactData } from './impact'

/** The default and the routed cost as they grew, step by step. */
export function Cumulative({ data }: { data: ImpactData }) {
  const grown = useMemo(() => grow(data), [data])
  const text = totals(triple(data))
  const series = useMemo(() => [
    { name: 'Default model', colour: '--ink-3', dash: [6, 4], values: grown.baseline, end: text.baseline },
    { name: 'Routed', colour: '--c1', values: grown.routed, end: text.routed },
  ], [grown])
  const written = (n: number) => text.write(BigInt(Math.round(n * 1e9)))
  return (
    <Chart
      label="Cost as it grew" kind="steps" height={240} value={written} ticks={dollars} times={grown.times} series={series} span={[grown.times[0]!, grown.times.at(-1)!]}
      summary={`Up to ${moment(grown.times.at(-1)!)}, in steps of ${stepWords(data.step_seconds)}: ${text.baseline} with the default model, ${text.routed} as routed. The area between them was ${BigInt(data.kept_nano_usd) < 0n ? 'paid on top' : 'kept'}.`}
      gaps={[{ above: 0, below: 1, colour: '--kept-area' }, { above: 1, below: 0, colour: '--lost-area' }]}
    />
  )
}

const stepWords = (s: number): string => (s < 3600 ? plural(s / 60, 'minute') : s < 86_400 ? plural(s / 3600, 'hour') : 'a day')

/** What the cost had grown to by the end of each step, drawn from its beginning on; before the first there is nothing. */
function grow(d: ImpactData) {
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
