// Requests in progress as rows of the list. The server sends all of them every second.
// A row stays in its place when its request ends: the finished request has the same id
// and time, and replaces it.
import type { Request, RunningRequest } from '../../types'
import { mergeRequests } from './mergerequests'

export interface RunningRow {
  request: Request
  /** When a report last had the request, in milliseconds of performance.now(). */
  seenAt: number
}

/** How long a row waits for its finished request after the last report that had it. The rows of a proxy that died disappear after this time. */
export const graceMs = 10_000

export const isRunning = (r: Pick<Request, 'outcome'>): boolean => r.outcome === 'running'

/** A request in progress in the shape of a finished one. latency_us is the running time that was reported last, so it never exceeds the final time. */
function toRequest(r: RunningRequest, before: Request | undefined): Request {
  const { elapsed_us, ...known } = r
  return {
    ...known, account_id: '', effort: null, route: null, outcome: 'running', reason: { code: '', text: '' }, status: null, code: null, side_call: false,
    tokens: { input: 0, cache_read: 0, cache_write: 0, cache_write_1h: 0, output: 0, reasoning: 0 },
    cost_nano_usd: null, cost_basis: null, baseline: { model: null, cost_nano_usd: null }, saved_nano_usd: null,
    latency_us: Math.max(elapsed_us, before?.latency_us ?? 0), ttft_us: null, gateway_us: 0, attempts: [],
  }
}

/** Returns the rows after a report. While the user reads, no new row moves the list. */
export function updateRunning(rows: RunningRow[], reported: RunningRequest[], now: number, reading: boolean): RunningRow[] {
  const before = new Map(rows.map((r) => [r.request.id, r]))
  const current = reported.filter((r) => !reading || before.has(r.id)).map((r) => ({ request: toRequest(r, before.get(r.id)?.request), seenAt: now }))
  const ids = new Set(reported.map((r) => r.id))
  return [...current, ...rows.filter((r) => !ids.has(r.request.id) && now - r.seenAt < graceMs)]
}

/** Puts the requests in progress between the rows, each request once. A finished request that is still pending is shown if its row was shown before. */
export function withRunning(running: RunningRow[], rows: Request[], pending: Request[]): Request[] {
  if (running.length === 0) return rows
  const shown = new Set(rows.map((r) => r.id))
  const finished = new Map(pending.map((r) => [r.id, r]))
  return mergeRequests(running.filter((r) => !shown.has(r.request.id)).map((r) => finished.get(r.request.id) ?? r.request), rows)
}
