// The positions of the dial between cost and quality, and what moving it would do.
import { formatPercent } from '../../money'

export interface Point {
  name: 'today' | 'economy' | 'balanced' | 'quality' | 'baseline'
  cost_nano_usd: number
  /** The mean predicted quality from 0 to 1. */
  quality: number
  dominated: boolean
}

export interface FrontierData {
  requests: number
  skipped: number
  points: Point[]
}

export const pointNames: Record<Point['name'], string> = {
  today: 'Today', economy: 'auto:economy', balanced: 'auto:balanced', quality: 'auto:quality', baseline: 'Default model for everything',
}

/** What a position costs compared with today, such as −38 %. */
export function formatCostChange(p: Point, today: Point): string {
  if (today.cost_nano_usd === 0) return p.cost_nano_usd === 0 ? 'the same' : 'more'
  const change = 100 * (p.cost_nano_usd / today.cost_nano_usd - 1)
  return Math.abs(change) < 0.05 ? 'the same' : (change > 0 ? '+' : '−') + formatPercent(Math.abs(change))
}

/** How the predicted quality changes, in points. */
export function formatQualityChange(p: Point, today: Point): string {
  const points = 100 * (p.quality - today.quality)
  return Math.abs(points) < 0.05 ? 'the same' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} points`
}

export interface Dot { names: Point['name'][]; x: number; y: number }

/** Two points that are nearer than this have one label, because their labels would overlap. */
const nearBy = { x: 24, y: 12 }

/** Places the points in a drawing of this size: cheap on the left, good at the top. Points at nearly the same place are one dot. */
export function placePoints(points: Point[], width: number, height: number): Dot[] {
  const scale = (all: number[], size: number) => {
    const low = Math.min(...all)
    const span = Math.max(...all) - low
    return (v: number) => (span === 0 ? size / 2 : ((v - low) / span) * size)
  }
  const x = scale(points.map((p) => p.cost_nano_usd), width)
  const y = scale(points.map((p) => p.quality), height)
  const dots: Dot[] = []
  for (const p of points) {
    const at = { x: x(p.cost_nano_usd), y: height - y(p.quality) }
    const near = dots.find((d) => Math.abs(d.x - at.x) < nearBy.x && Math.abs(d.y - at.y) < nearBy.y)
    if (near) near.names.push(p.name)
    else dots.push({ names: [p.name], ...at })
  }
  return dots
}
