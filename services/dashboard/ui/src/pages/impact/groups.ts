// The fields that savings can be grouped by, and links to the requests of a
// group.
import { narrowFilter, requestsURL } from '../../requestlinks'
import type { Group, ImpactData } from './types'

export interface Grouping {
  by: string
  /** The label of the field. */
  name: string
  /** The label of the group of requests that have no value in the field. */
  none: string
}

export const groupings: Grouping[] = [
  { by: 'model', name: 'Model', none: 'Not served' },
  { by: 'provider', name: 'Provider', none: 'Not served' },
  { by: 'key', name: 'Key', none: 'No key' },
  { by: 'day', name: 'Day', none: '' },
  { by: 'route', name: 'Route', none: 'Not served' },
  { by: 'requested_model', name: 'Requested model', none: 'No model' },
  { by: 'agent', name: 'Client', none: 'Unknown client' },
  { by: 'session', name: 'Session', none: 'No session' },
  { by: 'user', name: 'User', none: 'No user' },
  { by: 'tag', name: 'Tag', none: 'No tag' },
  { by: 'rule', name: 'Rule', none: 'No rule' },
  { by: 'endpoint', name: 'Endpoint', none: '' },
  { by: 'protocol', name: 'Protocol', none: '' },
]

/** Returns the grouping with this name. Other names group by request metadata, such as meta.team. */
export function findGrouping(by: string | null): Grouping {
  const found = groupings.find((g) => g.by === by)
  if (found || !by?.startsWith('meta.') || by === 'meta.') return found ?? groupings[0]!
  return { by, name: by, none: 'No value' }
}

/** The URL of a group's requests; null if no filter can select them. */
export function groupRequestsURL(g: Group, by: Grouping, data: ImpactData, scope: { filter: string; range: string }): string | null {
  if (g.other) return null
  if (by.by === 'day') return requestsURL(scope.filter, dayRange(g.group!, data))
  const filter = narrowFilter(scope.filter, by.by, g.group)
  return filter === null ? null : requestsURL(filter, scope.range)
}

/** Returns the part of a UTC day that is inside the range of the page. */
function dayRange(day: string, data: ImpactData): string {
  const start = Date.parse(day)
  const from = Math.max(start, Date.parse(data.from))
  const to = Math.min(start + 86_400_000, data.to ? Date.parse(data.to) : Infinity)
  return `${new Date(from).toISOString()}..${new Date(to).toISOString()}`
}
