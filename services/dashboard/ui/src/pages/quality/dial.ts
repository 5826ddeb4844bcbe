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
  today: 'Active policy', economy: 'auto:economy', balanced: 'auto:balanced', quality: 'auto:quality', baseline: 'Default model for everything',
}

/** What a position costs compared with the active policy, such as −38 %. */
export function formatCostChange(p: Point, active: Point): string {
  if (active.cost_nano_usd === 0) return p.cost_nano_usd === 0 ? 'the same' : 'more'
  const change = 100 * (p.cost_nano_usd / active.cost_nano_usd - 1)
  return Math.abs(change) < 0.05 ? 'the same' : (change > 0 ? '+' : '−') + formatPercent(Math.abs(change))
}

/** How the predicted quality changes, in points. */
export function formatQualityChange(p: Point, active: Point): string {
  const points = 100 * (p.quality - active.quality)
  return Math.abs(points) < 0.05 ? 'the same' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} points`
}

/** The position that costs least, if it costs less than the active policy. */
export function findCheaper(points: Point[], active: Point): Point | undefined {
  return points.filter((p) => p.cost_nano_usd < active.cost_nano_usd).sort((a, b) => a.cost_nano_usd - b.cost_nano_usd)[0]
}
