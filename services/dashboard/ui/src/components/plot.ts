// How a chart is drawn: its data and its settings for uPlot.
import type uPlotType from 'uplot'
import { tick } from '../format'
import type { ChartProps, PlotProps, Series } from './chart'

/** Bars are stacked: each series is drawn as the sum up to it, the last one first. */
export function data(p: ChartProps): uPlotType.AlignedData {
  const x = p.times.map((t) => Date.parse(t) / 1000)
  if (p.kind === 'steps') return [x, ...p.series.map((s) => s.values)]
  const sums = p.times.map(() => 0)
  const stacked = p.series.map((s) => s.values.map((v, i) => (sums[i] = sums[i]! + (v ?? 0))))
  return [x, ...stacked.reverse()]
}

/** Steps of an axis on which there are no halves. */
const wholes = Array.from({ length: 13 }, (_, n) => [1, 2, 5].map((m) => m * 10 ** n)).flat()

export function options(p: PlotProps, el: HTMLElement, plot: typeof uPlotType): uPlotType.Options {
  const css = getComputedStyle(el)
  const colour = (name: string) => css.getPropertyValue(name).trim()
  const axis = { stroke: colour('--ink-3'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px ' + colour('--sans') }
  const order = p.kind === 'bars' ? [...p.series].reverse() : p.series
  return {
    width: el.clientWidth,
    height: p.height ?? 180,
    cursor: { y: false, points: { show: false } },
    legend: { show: false },
    scales: {
      ...(p.span ? { x: { range: [Date.parse(p.span[0]) / 1000, Date.parse(p.span[1]) / 1000] as [number, number] } } : {}),
      y: { range: (_u, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 24, values: (_u, ticks) => ticks.map((t, i) => tick(t, ticks[i - 1])) },
      { ...axis, size: (_u, marks) => (marks ? 14 + 7 * Math.max(...marks.map((m) => String(m ?? '').length)) : 40), space: p.kind === 'bars' ? 24 : 36, ...(p.whole ? { incrs: wholes } : {}), values: (_u, all) => p.ticks?.(all) ?? all.map((t) => p.value(t)) },
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
    padding: [8, room(p), 0, null],
    hooks: { draw: [ends(p, colour)], setCursor: [(u) => p.onAt(u.cursor.idx ?? null)] },
  }
}

const named = (p: ChartProps): Series[] => p.series.filter((s) => s.end)

/** What stands at the ends of lines needs room beside them. */
const room = (p: ChartProps): number | null => (named(p).length === 0 ? null : 8 + 7 * Math.max(...named(p).map((s) => s.end!.length)))

/** Writes what stands at the end of each line, none over another. */
function ends(p: ChartProps, colour: (name: string) => string): (u: uPlotType) => void {
  return (u) => {
    const scale = devicePixelRatio
    u.ctx.font = `600 ${12 * scale}px ${colour('--sans')}`
    u.ctx.textAlign = 'left'
    u.ctx.textBaseline = 'middle'
    const marks = named(p).map((s) => ({ s, y: u.valToPos(s.values.at(-1) ?? 0, 'y', true) })).sort((a, b) => a.y - b.y)
    let free = -Infinity
    for (const { s, y } of marks) {
      u.ctx.fillStyle = colour(s.colour)
      u.ctx.fillText(s.end!, u.bbox.left + u.bbox.width + 6 * scale, Math.max(y, free))
      free = Math.max(y, free) + 16 * scale
    }
  }
}
