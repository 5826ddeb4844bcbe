// A chart of series over time, with a summary sentence and a table of the same
// values.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlotType from 'uplot'
import { boot } from '../boot'
import { formatDateTime } from '../format'
import { setParams } from '../router'
import { isDark } from '../theme'
import type { ChartProps, PlotProps } from './charttypes'
import { brushedRange, plotData, plotOptions } from './plot'

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
      {table ? <ChartTable {...p} /> : <Plot {...p} onHover={setAt} onBrush={(from, to) => setParams({ range: brushedRange(from, to, p.brush!, p.kind === 'bars') })} />}
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
            <tr key={t}><td>{formatDateTime(t)}</td>{p.series.map((s, n) => <td key={s.name} class="num"><LinkedValue to={s.values[i] ? p.valueURL?.(n, i) : null} text={s.values[i] == null ? '—' : p.formatValue(s.values[i]!)} /></td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const LinkedValue = ({ to, text }: { to: string | null | undefined; text: string }) => (to ? <a href={to}>{text}</a> : <>{text}</>)
