// An endpoint is a model at a provider. The router reports the endpoint's health in the
// last minutes. The ledger contains this account's attempts at the endpoint.
import { formatPercent } from '../../money'
import { type Drain, drainsOf } from './drain'

/** The health of an endpoint, as the router reports it. */
export interface Health {
  provider: string
  model: string
  succeeded: number
  failed: number
  last_code: string | null
  last_failure: string | null
  /** Why the endpoint's circuit breaker is open; null if it is closed. Routing excludes an endpoint whose breaker is open. */
  down: string | null
  first_token_us: number | null
}

/** Attempts of this account at an endpoint, from the ledger. */
export interface AttemptStats {
  provider: string
  model: string
  attempts: number
  failed: number
  p50_us: number | null
  p95_us: number | null
  failures: { code: string; attempts: number; request_id: string }[]
}

export interface Endpoint {
  health: Health
  stats: AttemptStats | undefined
  /** The drains that stop requests to the endpoint. */
  drains: Drain[]
}

export type State = 'good' | 'degraded' | 'bad' | 'breakerOpen' | 'idle'

/** Returns the state of an endpoint, or of several endpoints together. It is bad if at least half of the calls failed. In the default policy, a breaker opens at this share. */
export function healthState(...endpoints: Health[]): State {
  if (endpoints.some((h) => h.down)) return 'breakerOpen'
  const failed = endpoints.reduce((n, h) => n + h.failed, 0)
  const calls = endpoints.reduce((n, h) => n + h.succeeded, failed)
  if (calls === 0) return 'idle'
  if (failed === 0) return 'good'
  return failed * 2 >= calls ? 'bad' : 'degraded'
}

export const stateNames: Record<State, string> = { good: 'Healthy', degraded: 'Some calls fail', bad: 'At least half of the calls fail', breakerOpen: 'Circuit breaker open', idle: 'No recent calls' }

/** Groups endpoints by provider, sorted by name. */
export function groupByProvider(health: Health[], stats: AttemptStats[], drains: Drain[] = []): Map<string, Endpoint[]> {
  const statsByEndpoint = new Map(stats.map((s) => [`${s.provider} ${s.model}`, s]))
  const out = new Map<string, Endpoint[]>()
  for (const h of [...health].sort((a, b) => a.provider.localeCompare(b.provider) || a.model.localeCompare(b.model))) {
    const list = out.get(h.provider) ?? []
    list.push({ health: h, stats: statsByEndpoint.get(`${h.provider} ${h.model}`), drains: drainsOf(drains, h.provider, h.model) })
    out.set(h.provider, list)
  }
  return out
}

const endpointName = (h: Health): string => `${h.model} at ${h.provider}`

const failureShare = (h: Health): string => formatPercent((h.failed / (h.succeeded + h.failed)) * 100)

/** Summarizes the health of all endpoints in a sentence. */
export function summarizeHealth(all: Health[]): string {
  const excluded = all.filter((h) => healthState(h) === 'breakerOpen')
  const bad = all.filter((h) => healthState(h) === 'bad')
  const degraded = all.filter((h) => healthState(h) === 'degraded')
  const called = all.filter((h) => healthState(h) !== 'idle').length
  if (called === 0) return 'No provider was called in the last five minutes.'
  if (excluded.length === 1) return `${endpointName(excluded[0]!)} is excluded from routing: ${excluded[0]!.down}.`
  if (excluded.length > 1) return `${excluded.length} endpoints are excluded from routing: ${excluded.map((h) => `${endpointName(h)} (${h.down})`).join(', ')}.`
  if (bad.length === 1) return `${failureShare(bad[0]!)} of the calls to ${endpointName(bad[0]!)} failed.`
  if (bad.length > 1) return `${bad.length} endpoints are failing: ${bad.map(endpointName).join(', ')}.`
  if (degraded.length === 1) return `${failureShare(degraded[0]!)} of the calls to ${endpointName(degraded[0]!)} failed.`
  if (degraded.length > 1) return `${degraded.length} endpoints have intermittent failures.`
  return called === 1 ? 'The only endpoint that was called is healthy.' : `All ${called} endpoints that were called are healthy.`
}
