import { useMemo } from 'preact/hooks'
import type { Nano } from '../../api'
import { Chart } from '../../components/chart'
import { moment } from '../../format'
import { total } from '../../money'
import type { ImpactData } from './impact'

const dayLong = 86_400_000

/** The axis counts dollars; no figure but those of the drawing comes from here. */
const dollars = (nano: bigint): number => Number(nano) / 1e9
const written = (n: number): string => total(BigInt(Math.round(n * 1e9)))

/** The default and the routed cost as they grew, day by day. */
export function Cumulative({ data }: { data: ImpactData }) {
  const grown = useMemo(() => grow(data), [data])
  const end = moment(grown.times.at(-1)!)
  const series = useMemo(() => [
    { name: 'Default model', colour: '--ink-3', dash: [6, 4], values: grown.baseline, end: total(data.baseline_nano_usd) },
    { name: 'Routed', colour: '--c1', values: grown.routed, end: total(data.routed_nano_usd) },
  ], [grown])
  return (
    <Chart
      label="Cost as it grew" kind="lines" height={240} value={written} times={grown.times} series={series}
      summary={`Up to ${end}: ${total(data.baseline_nano_usd)} with the default model, ${total(data.routed_nano_usd)} as routed. The area between them was ${BigInt(data.kept_nano_usd) < 0n ? 'paid on top' : 'kept'}.`}
      gaps={[{ above: 0, below: 1, colour: '--kept-area' }, { above: 1, below: 0, colour: '--lost-area' }]}
    />
  )
}

/** A point at the beginning and at the end of each UTC day, from the first with requests on. */
function grow(d: ImpactData) {
  const days = new Map(d.series.map((s) => [Date.parse(s.day), s]))
  const first = Math.min(...days.keys())
  const stop = d.to ? Date.parse(d.to) : Date.now()
  const times = [new Date(Math.max(first, Date.parse(d.from))).toISOString()]
  const baseline = [0], routed = [0]
  let sums = { baseline: 0n, routed: 0n }
  const more = (n: bigint, by: Nano | undefined) => n + BigInt(by ?? 0)
  for (let at = first; at < stop; at += dayLong) {
    const s = days.get(at)
    sums = { baseline: more(sums.baseline, s?.baseline_nano_usd), routed: more(sums.routed, s?.routed_nano_usd) }
    times.push(new Date(Math.min(at + dayLong, stop)).toISOString())
    baseline.push(dollars(sums.baseline))
    routed.push(dollars(sums.routed))
  }
  return { times, baseline, routed }
}
