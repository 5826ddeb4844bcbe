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

export interface Dot { name: Point['name']; x: number; y: number }

/** Places the points in a drawing of this size: cheap on the left, good at the top. */
export function placePoints(points: Point[], width: number, height: number): Dot[] {
  const scale = (all: number[], size: number) => {
    const low = Math.min(...all)
    const span = Math.max(...all) - low
    return (v: number) => (span === 0 ? size / 2 : ((v - low) / span) * size)
  }
  const x = scale(points.map((p) => p.cost_nano_usd), width)
  const y = scale(points.map((p) => p.quality), height)
  return points.map((p) => ({ name: p.name, x: x(p.cost_nano_usd), y: height - y(p.quality) }))
}
