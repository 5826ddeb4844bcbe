// What happened to a request, in a sentence or three.
import { span } from '../../format'
import { exact } from '../../money'
import type { Attempt, RequestDetail } from '../../types'

export function sentence(r: RequestDetail): string {
  return [...failed(r), ended(r), money(r)].filter(Boolean).join(' ')
}

function failed(r: RequestDetail): string[] {
  const tries = r.outcome === 'ok' || r.model ? r.attempts.slice(0, -1) : r.attempts
  return tries.map((a) => `${a.model} at ${a.provider} ${how(a)}${a.code === 'BREAKER_OPEN' || a.code === 'OVER_LIMIT' ? '' : ` after ${span(a.ended_us - a.started_us)}`}.`)
}

function how(a: Attempt): string {
  switch (a.code) {
    case 'PROVIDER_TIMEOUT': return 'timed out'
    case 'PROVIDER_RATE_LIMITED': return 'was out of its rate limit'
    case 'PROVIDER_OVERLOADED': return 'was overloaded'
    case 'BREAKER_OPEN': return 'was not asked, as too many of its calls had failed'
    case 'OVER_LIMIT': return 'was not asked, as its provider was at the limit that the policy sets'
    case 'PROVIDER_CONNECTION_ERROR': return 'could not be reached'
  }
  return a.status ? `answered ${a.status}` : 'failed'
}

function ended(r: RequestDetail): string {
  const where = r.model ? `${r.model} at ${r.provider}` : ''
  switch (r.outcome) {
    case 'ok': return `${where} answered in ${span(r.latency_us)}${r.reason.text && r.route !== 'fallback' ? `: ${lower(r.reason.text)}` : ''}.`
    case 'rejected': return `It was refused before any model was asked: ${lower(r.error ?? r.code ?? 'no reason is known')}.`
    case 'interrupted': return `${where || 'The provider'} broke off in the middle of its answer.`
    case 'client_closed': return where ? `${where} was answering when the client left.` : 'The client left before there was an answer.'
    case 'aborted': return 'The proxy ended while it was in flight; its cost is estimated.'
  }
  return `Nobody could answer it: ${lower(r.error ?? r.code ?? 'no reason is known')}.`
}

function money(r: RequestDetail): string {
  if (r.kept_nano_usd === null) return r.cost_nano_usd === null ? 'Its price is unknown.' : ''
  const kept = BigInt(r.kept_nano_usd)
  const to = r.baseline.model ?? 'the default model'
  if (kept > 0n) return `It kept ${exact(kept)} against ${to}.`
  if (kept < 0n) return `It cost ${exact(-kept)} more than ${to} would have.`
  return ''
}

const lower = (text: string): string => {
  const t = text.replace(/\.$/, '')
  return /^[A-Z][a-z]/.test(t) ? t[0]!.toLowerCase() + t.slice(1) : t
}
