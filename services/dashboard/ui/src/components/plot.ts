// Converts the properties of a chart into data and options for uPlot.
import type uPlotType from 'uplot'
import { formatAxisTime } from '../format'
import type { ChartProps, PlotProps, Series } from './charttypes'

/** Returns the data for uPlot. To stack bars, each series is added to the sum of the series before it. The largest sums are drawn first, so that they do not cover the smaller ones. */
export function plotData(p: ChartProps): uPlotType.AlignedData {
  const x = p.times.map((t) => Date.parse(t) / 1000)
  if (p.kind === 'steps') return [x, ...p.series.map((s) => s.values)]
  const sums = p.times.map(() => 0)
  const stacked = p.series.map((s) => s.values.map((v, i) => (sums[i] = sums[i]! + (v ?? 0))))
  return [x, ...stacked.reverse()]
}

/** Possible distances between the ticks of an integer axis. */
const integerSteps = Array.from({ length: 13 }, (_, n) => [1, 2, 5].map((m) => m * 10 ** n)).flat()

export function plotOptions(p: PlotProps, el: HTMLElement, plot: typeof uPlotType): uPlotType.Options {
  const css = getComputedStyle(el)
  const color = (name: string) => css.getPropertyValue(name).trim()
  const axis = { stroke: color('--ink-3'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '12px ' + color('--sans') }
  const order = p.kind === 'bars' ? [...p.series].reverse() : p.series
  return {
    width: el.clientWidth,
    height: p.height ?? 180,
    // uPlot itself would zoom only the drawing, not the page.
    cursor: { y: false, points: { show: false }, drag: { x: p.brush !== undefined, y: false, setScale: false } },
    legend: { show: false },
    scales: {
      ...timeScale(p),
      y: { range: (_u, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 24, values: (_u, ticks) => ticks.map((t, i) => formatAxisTime(t, ticks[i - 1])) },
      { ...axis, size: (_u, marks) => (marks ? 14 + 7 * Math.max(...marks.map((m) => String(m ?? '').length)) : 40), space: tickSpace(p), ...(p.integers ? { incrs: integerSteps } : {}), values: (_u, all) => p.formatTicks?.(all) ?? all.map((t) => p.formatValue(t)) },
    ],
    series: [
      {},
      ...order.map((s) => ({
        label: s.name,
        stroke: color(s.color),
        width: p.kind === 'bars' ? 0 : 2,
        points: { show: false },
        ...(s.dash ? { dash: s.dash } : {}),
        ...(p.kind === 'bars' ? { fill: color(s.color), paths: plot.paths.bars!({ size: [0.8, 40] }) } : { paths: plot.paths.stepped!({ align: 1 }) }),
      })),
    ],
    bands: (p.bands ?? []).map((g) => ({ series: [g.above + 1, g.below + 1], fill: color(g.color) })),
    padding: [8, endLabelWidth(p), 0, null],
    hooks: { draw: [drawEndLabels(p, color)], setCursor: [(u) => p.onHover(u.cursor.idx ?? null)], setSelect: [selectRange(p)] },
  }
}

/** The least distance between the labels of the y axis, in pixels. A low chart needs a label beside the 0, too. */
export const tickSpace = (p: Pick<ChartProps, 'kind' | 'height'>): number => (p.kind === 'steps' ? 36 : (p.height ?? 180) < 120 ? 16 : 24)

/** The range of the x axis. Bars need half a step on both sides, because they are drawn around the start of their step. */
function timeScale(p: ChartProps): uPlotType.Scales {
  const seconds = (t: string) => Date.parse(t) / 1000
  if (p.timeSpan) return { x: { range: [seconds(p.timeSpan[0]), seconds(p.timeSpan[1])] } }
  if (p.kind !== 'bars' || !p.brush || p.times.length === 0) return {}
  return { x: { range: [seconds(p.times[0]!) - p.brush / 2, seconds(p.times.at(-1)!) + p.brush / 2] } }
}

/** Reports the times of a selection and removes it from the drawing. */
function selectRange(p: PlotProps): (u: uPlotType) => void {
  return (u) => {
    const { left, width } = u.select
    if (width === 0) return
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    p.onBrush(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'))
  }
}

/** Returns the range of the steps that a selection touches, for the URL. Bars are drawn around the start of their step. */
export function brushedRange(from: number, to: number, step: number, bars: boolean): string {
  const shift = bars ? step / 2 : 0
  const start = Math.floor((from + shift) / step) * step
  const end = (Math.floor((to + shift) / step) + 1) * step
  return `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`
}

const labelledSeries = (p: ChartProps): Series[] => p.series.filter((s) => s.endLabel)

/** The padding on the right that the end labels need. */
const endLabelWidth = (p: ChartProps): number | null => (labelledSeries(p).length === 0 ? null : 8 + 7 * Math.max(...labelledSeries(p).map((s) => s.endLabel!.length)))

/** Draws the end labels so that they do not overlap. */
function drawEndLabels(p: ChartProps, color: (name: string) => string): (u: uPlotType) => void {
  return (u) => {
    const scale = devicePixelRatio
    u.ctx.font = `600 ${12 * scale}px ${color('--sans')}`
    u.ctx.textAlign = 'left'
    u.ctx.textBaseline = 'middle'
    const marks = labelledSeries(p).map((s) => ({ s, y: u.valToPos(s.values.at(-1) ?? 0, 'y', true) })).sort((a, b) => a.y - b.y)
    let free = -Infinity
    for (const { s, y } of marks) {
      u.ctx.fillStyle = color(s.color)
      u.ctx.fillText(s.endLabel!, u.bbox.left + u.bbox.width + 6 * scale, Math.max(y, free))
      free = Math.max(y, free) + 16 * scale
    }
  }
}
