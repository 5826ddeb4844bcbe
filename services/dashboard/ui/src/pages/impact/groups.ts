// By what an impact can be broken down, and how its groups are found again.
import { narrow, rowsAt } from '../../rows'
import type { Group, ImpactData } from './impact'

export interface Grouping {
  by: string
  /** What a group is called, and what one without a value is. */
  name: string
  none: string
}

export const groupings: Grouping[] = [
  { by: 'model', name: 'Model', none: 'Nobody served it' },
  { by: 'provider', name: 'Provider', none: 'Nobody served it' },
  { by: 'key', name: 'Key', none: 'No key' },
  { by: 'day', name: 'Day', none: '' },
  { by: 'route', name: 'Route', none: 'Nobody served it' },
  { by: 'requested_model', name: 'Requested model', none: 'None named' },
]

/** The address of a group's requests; some cannot be asked for. */
export function rowsOf(g: Group, by: Grouping, data: ImpactData, scope: { filter: string; range: string }): string | null {
  if (g.other) return null
  if (by.by === 'day') return rowsAt(scope.filter, dayRange(g.group!, data))
  const filter = narrow(scope.filter, by.by, g.group)
  return filter === null ? null : rowsAt(filter, scope.range)
}

/** A UTC day, as far as it is in the span. */
function dayRange(day: string, data: ImpactData): string {
  const start = Date.parse(day)
  const from = Math.max(start, Date.parse(data.from))
  const to = Math.min(start + 86_400_000, data.to ? Date.parse(data.to) : Infinity)
  return `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
}
