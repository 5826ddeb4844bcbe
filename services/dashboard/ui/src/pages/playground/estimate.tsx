// The expected cost of a run with each model, before it is sent.
import { useEffect, useState } from 'preact/hooks'
import { ApiError, callApi, type Nano } from '../../api'
import { Money } from '../../components/money'
import { escapeInvisible } from '../../format'
import type { Items } from '../../types'

export interface Estimate {
  model: string
  served: string | null
  provider: string | null
  cost_nano_usd: Nano | null
  reason: string | null
  error: string | null
}

const pauseMs = 500

/** What is known: null if there is nothing to estimate, an empty list while waiting, a text if there is no estimate. */
type EstimateState = Estimate[] | string | null

/** Estimates the cost once the user has stopped typing. body is null if there is nothing to estimate. */
export function useEstimates(models: string[], body: Record<string, unknown> | null): EstimateState {
  const [estimates, setEstimates] = useState<Estimate[] | string>([])
  const question = body ? JSON.stringify({ models, body }) : ''
  useEffect(() => {
    if (!question) return setEstimates([])
    const abort = new AbortController()
    const timer = setTimeout(() => {
      callApi<Items<Estimate>>('POST', '/playground/estimate', JSON.parse(question), abort.signal).then(
        (a) => setEstimates(a.items),
        (e) => abort.signal.aborted || setEstimates(e instanceof ApiError ? e.message : ''),
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [question])
  return question ? estimates : null
}

export function Estimates({ of }: { of: EstimateState }) {
  if (of === null) return null
  if (typeof of === 'string') return <p class="meta">No estimate: {of}</p>
  if (of.length === 0) return <p class="meta">Waiting for the estimate.</p> // keeps what is below in its place
  const known = of.filter((e) => e.cost_nano_usd !== null)
  const total = known.reduce((sum, e) => sum + BigInt(e.cost_nano_usd!), 0n)
  return (
    <p class="meta">
      Expected cost: <Money nano={total} />{known.length < of.length ? ' and models without a price' : ''} ({of.map((e, i) => (
        <span key={e.model}>{i > 0 ? ', ' : ''}<bdi>{escapeInvisible(e.model)}</bdi>{e.error ? ': ' + e.error : <>{e.served && e.served !== e.model ? ` → ${escapeInvisible(e.served)}` : ''} <Money nano={e.cost_nano_usd} /></>}</span>
      ))}). The real cost depends on the length of the response.
    </p>
  )
}
