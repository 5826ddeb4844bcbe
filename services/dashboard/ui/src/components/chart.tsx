// A chart of series over time, with a sentence and a table that say the same.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlotType from 'uplot'
import { boot } from '../boot'
import { moment } from '../format'
import { dark } from '../theme'
import { data, options } from './plot'

export interface Series {
  name: string
  /** A custom property of the colours, such as --c1. */
  colour: string
  values: (number | null)[]
  /** Dashes tell series apart without colour. */
  dash?: number[]
  /** Stands at the end of a line. */
  end?: string
}

export interface ChartProps {
  label: string
  /** What the chart says, in one sentence. */
  summary: string
  times: string[]
  series: Series[]
  /** Steps are lines that hold a value until the next time. */
  kind: 'bars' | 'steps'
  value: (n: number) => string
  /** Marks of the axis; each as a value, unless they are told all together. */
  ticks?: (all: number[]) => string[]
  /** What is counted are whole things. */
  whole?: boolean
  /** From when to when, if that is more than the times. */
  span?: [string, string]
  height?: number
  /** Lines between which the area has a colour where the first is above the second. */
  gaps?: { above: number; below: number; colour: string }[]
}

export interface PlotProps extends ChartProps {
  /** Which time the pointer is at. */
  onAt: (i: number | null) => void
}

let loading: Promise<typeof import('../charts')> | undefined

const load = () => (loading ??= import(boot.charts))

export function Chart(p: ChartProps) {
  const [table, setTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  const there = table || at === null || at >= p.times.length ? null : at
  return (
    <figure class="chart" aria-label={p.label}>
      <figcaption>
        {there === null ? <span>{p.summary}</span> : <span>{readout(p, there)}</span>}
        <span class="legend" aria-hidden="true">
          {p.series.map((s) => (
            <span key={s.name}><i class={p.kind === 'bars' ? '' : s.dash ? 'dashed' : 'lined'} ref={(el) => { if (el) el.style.color = `var(${s.colour})` }} />{s.name}</span>
          ))}
        </span>
        <button type="button" class="button small" aria-pressed={table} onClick={() => setTable(!table)}>{table ? 'As a chart' : 'As a table'}</button>
      </figcaption>
      {table ? <AsTable {...p} /> : <Plot {...p} onAt={setAt} />}
    </figure>
  )
}

/** What is drawn below the pointer. */
function readout(p: ChartProps, at: number): string {
  const values = p.series.filter((s) => s.values[at] != null && (p.kind === 'steps' || s.values[at] !== 0))
  return [moment(p.times[at]!), ...values.map((s) => `${s.name} ${p.value(s.values[at]!)}`)].join(' · ')
}

function Plot(p: PlotProps) {
  const box = useRef<HTMLDivElement | null>(null)
  const night = dark.value
  useEffect(() => {
    let plot: uPlotType | undefined
    let gone = false
    const seen = new ResizeObserver(() => plot?.setSize({ width: box.current!.clientWidth, height: p.height ?? 180 }))
    void load().then(({ uPlot }) => {
      if (gone || !box.current) return
      plot = new uPlot(options(p, box.current, uPlot), data(p), box.current)
      seen.observe(box.current)
    })
    return () => {
      gone = true
      seen.disconnect()
      plot?.destroy()
    }
  }, [p.times, p.series, night])
  return <div class="plot" ref={(el) => { box.current = el; if (el) el.style.minHeight = `${p.height ?? 180}px` }} role="img" aria-label={p.summary} />
}

function AsTable(p: ChartProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={p.label}>
      <table class="table">
        <thead><tr><th scope="col">Time</th>{p.series.map((s) => <th key={s.name} scope="col" class="num">{s.name}</th>)}</tr></thead>
        <tbody>
          {p.times.map((t, i) => (
            <tr key={t}><td>{moment(t)}</td>{p.series.map((s) => <td key={s.name} class="num">{s.values[i] == null ? '—' : p.value(s.values[i]!)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
