// Summarizes in a few sentences what happened to a request.
import { capitalizeSentence, formatDuration } from '../../format'
import { formatExact } from '../../money'
import type { Attempt, RequestDetail } from '../../types'

export function summarizeRequest(r: RequestDetail): string {
  return [...summarizeFailures(r), summarizeOutcome(r), summarizeSavings(r)].filter(Boolean).join(' ')
}

function summarizeFailures(r: RequestDetail): string[] {
  const failed = r.outcome === 'ok' || r.model ? r.attempts.slice(0, -1) : r.attempts
  return failed.filter((a) => a.code !== 'CLIENT_CANCELLED').map((a) => `${a.model} at ${a.provider} ${describeFailure(a)}.`)
}

function describeFailure(a: Attempt): string {
  const duration = formatDuration(a.ended_us - a.started_us)
  switch (a.code) {
    case 'PROVIDER_TIMEOUT': return `timed out after ${duration}`
    case 'PROVIDER_RATE_LIMITED': return `was rate-limited (responded after ${duration})`
    case 'PROVIDER_OVERLOADED': return `was overloaded (responded after ${duration})`
    case 'BREAKER_OPEN': return 'was skipped because its circuit breaker was open'
    case 'OVER_LIMIT': return 'was skipped because the provider had reached the limit that the policy sets for it'
    case 'PROVIDER_CONNECTION_ERROR': return `could not be reached (failed after ${duration})`
  }
  return a.status ? `returned ${a.status} after ${duration}` : `failed after ${duration}`
}

function summarizeOutcome(r: RequestDetail): string {
  const where = r.model ? `${r.model} at ${r.provider}` : ''
  switch (r.outcome) {
    case 'ok': return `${where} responded in ${formatDuration(r.latency_us)}.${r.reason.text && r.route !== 'fallback' ? ` ${capitalizeSentence(r.reason.text.replace(/\.$/, ''))}.` : ''}`
    case 'rejected': return `Rejected before a model was called: ${lowercaseFirst(r.error ?? r.code ?? 'the reason is unknown')}.`
    case 'interrupted': return `${where || 'The provider'} stopped in the middle of its response.`
    case 'client_closed': return where ? `The client disconnected while ${where} was responding.` : 'The client disconnected before a response started.'
    case 'aborted': return 'The proxy stopped while the request was in flight. The cost of the request is estimated.'
  }
  return `Not served: ${lowercaseFirst(r.error ?? r.code ?? 'the reason is unknown')}.`
}

function summarizeSavings(r: RequestDetail): string {
  if (r.saved_nano_usd === null) return r.cost_nano_usd === null ? 'The price of the request is unknown.' : ''
  const saved = BigInt(r.saved_nano_usd)
  const baseline = r.baseline.model ?? 'the default model'
  if (saved < 0n && r.outcome !== 'ok' && r.outcome !== 'client_closed') return `It failed, so its cost of ${formatExact(-saved)} reduces the savings.`
  if (saved > 0n) return `Saved ${formatExact(saved)} compared with ${baseline}.`
  if (saved < 0n) return `Cost ${formatExact(-saved)} more than ${baseline}.`
  return ''
}

const lowercaseFirst = (text: string): string => {
  const t = text.replace(/\.$/, '')
  return /^[A-Z][a-z]/.test(t) ? t[0]!.toLowerCase() + t.slice(1) : t
}
