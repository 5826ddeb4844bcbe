// A chart of series over time, with a sentence and a table that say the same.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlotType from 'uplot'
import { boot } from '../boot'
import { moment, tick } from '../format'
import { dark } from '../theme'

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

let loading: Promise<typeof import('../charts')> | undefined

const load = () => (loading ??= import(boot.charts))

export function Chart(p: ChartProps) {
  const [table, setTable] = useState(false)
  return (
    <figure class="chart" aria-label={p.label}>
      <figcaption>
        <span>{p.summary}</span>
        <span class="legend" aria-hidden="true">
          {p.series.map((s) => (
            <span key={s.name}><i ref={(el) => { if (el) el.style.background = `var(${s.colour})` }} />{s.name}</span>
          ))}
        </span>
        <button type="button" class="button small" aria-pressed={table} onClick={() => setTable(!table)}>{table ? 'As a chart' : 'As a table'}</button>
      </figcaption>
      {table ? <AsTable {...p} /> : <Plot {...p} />}
    </figure>
  )
}

function Plot(p: ChartProps) {
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

/** Bars are stacked: each series is drawn as the sum up to it, the last one first. */
function data(p: ChartProps): uPlotType.AlignedData {
  const x = p.times.map((t) => Date.parse(t) / 1000)
  if (p.kind === 'steps') return [x, ...p.series.map((s) => s.values)]
  const sums = p.times.map(() => 0)
  const stacked = p.series.map((s) => s.values.map((v, i) => (sums[i] = sums[i]! + (v ?? 0))))
  return [x, ...stacked.reverse()]
}

/** Steps of an axis on which there are no halves. */
const wholes = Array.from({ length: 13 }, (_, n) => [1, 2, 5].map((m) => m * 10 ** n)).flat()

function options(p: ChartProps, el: HTMLElement, plot: typeof uPlotType): uPlotType.Options {
  const css = getComputedStyle(el)
  const colour = (name: string) => css.getPropertyValue(name).trim()
  const axis = { stroke: colour('--ink-3'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px ' + colour('--sans') }
  const order = p.kind === 'bars' ? [...p.series].reverse() : p.series
  return {
    width: el.clientWidth,
    height: p.height ?? 180,
    cursor: { y: false, points: { show: false } },
    legend: { show: false },
    padding: [8, null, 0, null],
    scales: {
      ...(p.span ? { x: { range: [Date.parse(p.span[0]) / 1000, Date.parse(p.span[1]) / 1000] as [number, number] } } : {}),
      y: { range: (_u, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 24, values: (_u, ticks) => ticks.map((t, i) => tick(t, ticks[i - 1])) },
      { ...axis, size: 64, space: 24, ...(p.whole ? { incrs: wholes } : {}), values: (_u, all) => p.ticks?.(all) ?? all.map((t) => p.value(t)) },
    ],
    series: [
      {},
      ...order.map((s) => ({
        label: s.name,
        stroke: colour(s.colour),
        width: p.kind === 'bars' ? 0 : 2,
        points: { show: false },
        ...(s.dash ? { dash: s.dash } : {}),
        ...(p.kind === 'bars' ? { fill: colour(s.colour), paths: plot.paths.bars!({ size: [0.8, 40] }) } : { paths: plot.paths.stepped!({ align: 1 }) }),
      })),
    ],
    bands: (p.gaps ?? []).map((g) => ({ series: [g.above + 1, g.below + 1], fill: colour(g.colour) })),
    ...ends(p, colour),
  }
}

/** Writes what stands at the end of each line, none over another. */
function ends(p: ChartProps, colour: (name: string) => string): Pick<uPlotType.Options, 'padding' | 'hooks'> {
  const named = p.series.filter((s) => s.end)
  if (named.length === 0) return {}
  const room = 8 + 7 * Math.max(...named.map((s) => s.end!.length))
  const draw = (u: uPlotType) => {
    const scale = devicePixelRatio
    u.ctx.font = `600 ${12 * scale}px ${colour('--sans')}`
    u.ctx.textAlign = 'left'
    u.ctx.textBaseline = 'middle'
    const marks = named.map((s) => ({ s, y: u.valToPos(s.values.at(-1) ?? 0, 'y', true) })).sort((a, b) => a.y - b.y)
    let free = -Infinity
    for (const { s, y } of marks) {
      u.ctx.fillStyle = colour(s.colour)
      u.ctx.fillText(s.end!, u.bbox.left + u.bbox.width + 6 * scale, Math.max(y, free))
      free = Math.max(y, free) + 16 * scale
    }
  }
  return { padding: [8, room, 0, null], hooks: { draw: [draw] } }
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
