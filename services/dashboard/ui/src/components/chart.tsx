// A chart of series over time, with a summary sentence and a table of the same
// values.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlotType from 'uplot'
import { boot } from '../boot'
import { formatDateTime } from '../format'
import { isDark } from '../theme'
import { plotData, plotOptions } from './plot'

export interface Series {
  name: string
  /** The CSS custom property of its color, such as --c1. */
  color: string
  values: (number | null)[]
  /** A dash pattern, which distinguishes series without color. */
  dash?: number[]
  /** A label at the end of the line. */
  endLabel?: string
}

export interface ChartProps {
  label: string
  /** The content of the chart in one sentence. */
  summary: string
  times: string[]
  series: Series[]
  /** bars draws stacked bars. steps draws lines that keep each value until the next time. */
  kind: 'bars' | 'steps'
  formatValue: (n: number) => string
  /** Formats all labels of the y axis together. Without it each label is formatted as a value. */
  formatTicks?: (all: number[]) => string[]
  /** Whether the values are integers. Then the axis has no fractions. */
  integers?: boolean
  /** The range of the x axis, if it is larger than the range of the times. */
  timeSpan?: [string, string]
  height?: number
  /** Fills the area between two lines where the first is above the second. */
  bands?: { above: number; below: number; color: string }[]
}

export interface PlotProps extends ChartProps {
  /** Called with the index of the time under the pointer, or null. */
  onHover: (i: number | null) => void
}

let loading: Promise<typeof import('../charts')> | undefined

const loadPlotLibrary = () => (loading ??= import(boot.charts))

export function Chart(p: ChartProps) {
  const [table, setTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  const hovered = table || at === null || at >= p.times.length ? null : at
  return (
    <figure class="chart" aria-label={p.label}>
      <figcaption>
        {hovered === null ? <span>{p.summary}</span> : <span>{describePoint(p, hovered)}</span>}
        <span class="legend" aria-hidden="true">
          {p.series.map((s) => (
            <span key={s.name}><i class={p.kind === 'bars' ? '' : s.dash ? 'dashed' : 'lined'} ref={(el) => { if (el) el.style.color = `var(${s.color})` }} />{s.name}</span>
          ))}
        </span>
        <button type="button" class="button small" aria-pressed={table} onClick={() => setTable(!table)}>{table ? 'Show chart' : 'Show table'}</button>
      </figcaption>
      {table ? <ChartTable {...p} /> : <Plot {...p} onHover={setAt} />}
    </figure>
  )
}

function describePoint(p: ChartProps, at: number): string {
  const values = p.series.filter((s) => s.values[at] != null && (p.kind === 'steps' || s.values[at] !== 0))
  return [formatDateTime(p.times[at]!), ...values.map((s) => `${s.name} ${p.formatValue(s.values[at]!)}`)].join(' · ')
}

function Plot(p: PlotProps) {
  const box = useRef<HTMLDivElement | null>(null)
  const dark = isDark.value
  useEffect(() => {
    let plot: uPlotType | undefined
    let unmounted = false
    const seen = new ResizeObserver(() => plot?.setSize({ width: box.current!.clientWidth, height: p.height ?? 180 }))
    void loadPlotLibrary().then(({ uPlot }) => {
      if (unmounted || !box.current) return
      plot = new uPlot(plotOptions(p, box.current, uPlot), plotData(p), box.current)
      seen.observe(box.current)
    })
    return () => {
      unmounted = true
      seen.disconnect()
      plot?.destroy()
    }
  }, [p.times, p.series, dark])
  return <div class="plot" ref={(el) => { box.current = el; if (el) el.style.minHeight = `${p.height ?? 180}px` }} role="img" aria-label={p.summary} />
}

function ChartTable(p: ChartProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={p.label}>
      <table class="table">
        <thead><tr><th scope="col">Time</th>{p.series.map((s) => <th key={s.name} scope="col" class="num">{s.name}</th>)}</tr></thead>
        <tbody>
          {p.times.map((t, i) => (
            <tr key={t}><td>{formatDateTime(t)}</td>{p.series.map((s) => <td key={s.name} class="num">{s.values[i] == null ? '—' : p.formatValue(s.values[i]!)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
