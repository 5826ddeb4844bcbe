// One run: a request with one model, its streamed response, and its record.
import { type Signal, signal } from '@preact/signals'
import { ApiError, callApi } from '../../api'
import { capitalizeSentence } from '../../format'
import type { Items, Request } from '../../types'
import { bodyFor, type Endpoint } from './draft'
import { addEvent, emptyOutput, errorText, EventReader, type Output, readWhole } from './events'

export interface Run {
  state: 'running' | 'done' | 'stopped' | 'failed'
  output: Output
  /** The id of the record; null if no proxy was reached. */
  id: string | null
  error: ApiError | null
  /** Whether the ledger has the record. It has it shortly after the response. */
  record: 'waiting' | 'stored' | 'missing'
}

export interface RunHandle {
  run: Signal<Run>
  stop: () => void
}

/** Starts a run. stop cancels the request at the provider, too. */
export function startRun(endpoint: Endpoint, body: Record<string, unknown>, model: string): RunHandle {
  const abort = new AbortController()
  const run = signal<Run>({ state: 'running', output: emptyOutput(), id: null, error: null, record: 'waiting' })
  const change = (c: Partial<Run>) => (run.value = { ...run.value, ...c })
  const receive = async () => {
    try {
      const res = await fetch('/api/v1/playground', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ endpoint, body: bodyFor(body, model) }), signal: abort.signal,
      })
      const relayed = res.headers.has('x-signalbox-model') || res.headers.has('x-should-retry')
      change({ id: relayed ? res.headers.get('x-request-id') : null })
      if (!res.ok) throw await toError(res)
      await readOutput(res, (output) => change({ output }))
      const broken = run.value.output.error
      if (broken) throw new ApiError(capitalizeSentence(broken), 'PROVIDER_STREAM_INTERRUPTED', 200)
      change({ state: 'done' })
    } catch (e) {
      if (abort.signal.aborted) change({ state: 'stopped' })
      else change({ state: 'failed', error: e instanceof ApiError ? e : new ApiError('The connection was lost before the response was complete.', 'OFFLINE', 0) })
    }
    change({ record: run.value.id && (await isStored(run.value.id)) ? 'stored' : 'missing' })
  }
  void receive()
  return { run, stop: () => abort.abort() }
}

async function toError(res: Response): Promise<ApiError> {
  const body = await res.json().catch(() => ({}))
  return new ApiError(capitalizeSentence(errorText(body)), String(body.code ?? res.headers.get('x-error-code') ?? 'UNEXPECTED_RESPONSE'), res.status, body.details ?? {}, res.headers.get('x-request-id'))
}

async function readOutput(res: Response, show: (o: Output) => void): Promise<void> {
  if (!res.headers.get('content-type')?.startsWith('text/event-stream')) return show(readWhole(await res.json()))
  const reader = res.body!.pipeThrough(new TextDecoderStream()).getReader()
  const events = new EventReader()
  const output = emptyOutput()
  for (;;) {
    const { done, value } = await reader.read()
    for (const data of events.push(done ? '\n' : value)) addEvent(output, data)
    show({ ...output })
    if (done) return
  }
}

const recordAttempts = 40
const recordPauseMs = 250

/** Waits up to 10 s for the record. The list returns no error for an unknown id, unlike the detail. */
async function isStored(id: string): Promise<boolean> {
  for (let n = 0; n < recordAttempts; n++) {
    try {
      const found = await callApi<Items<Request>>('GET', '/requests?limit=1&filter=' + encodeURIComponent('id:' + id))
      if (found.items.length > 0) return true
    } catch (e) {
      if (!(e instanceof ApiError) || !e.isTransient) return false
    }
    await new Promise((r) => setTimeout(r, recordPauseMs))
  }
  return false
}
