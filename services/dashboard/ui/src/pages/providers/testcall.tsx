// A test call of an endpoint: a small real request that a proxy sends.
import { useEffect, useState } from 'preact/hooks'
import { Duration } from '../../components/basics'
import { hasRole } from '../../role'
import type { Items, Request } from '../../types'
import { useApi } from '../../api'
import { type RunHandle, startRun } from '../playground/run'

/** The response is short, so that a test costs little. */
const testBody = { messages: [{ role: 'user', content: 'Reply with the word OK.' }], max_tokens: 16, stream: false }

export function TestCall({ provider, model }: { provider: string; model: string }) {
  const kinds = useApi<Items<{ id: string; kind: string }>>('/models').data?.items
  const [test, setTest] = useState<RunHandle>()
  useEffect(() => () => test?.stop(), [test])
  if (!hasRole('member') || kinds?.find((m) => m.id === model)?.kind === 'embeddings') return <span class="soft">none</span>
  const run = test?.run.value
  return (
    <span class="testcall">
      <button type="button" class="button small" aria-label={`Test ${model} at ${provider}`} disabled={run?.state === 'running'} onClick={() => setTest(startRun('chat', testBody, `${model}@${provider}`))}>Test</button>
      <span role="status">{run ? <Result handle={test!} /> : null}</span>
    </span>
  )
}

function Result({ handle }: { handle: RunHandle }) {
  const r = handle.run.value
  if (r.state === 'running') return <span class="soft">Calling</span>
  const link = r.record === 'stored' && r.id ? <a href={'/requests/' + r.id}>View request</a> : null
  if (r.state === 'failed') return <><span class="lost">{r.error!.code === 'PROVIDER_AUTH_ERROR' ? 'Credential missing or rejected' : r.error!.message}</span> {link}</>
  return <>Works{r.id && r.record === 'stored' ? <>, <Latency id={r.id} /></> : null} {link}</>
}

function Latency({ id }: { id: string }) {
  const r = useApi<Request>('/requests/' + id).data
  return r ? <Duration us={r.latency_us} /> : null
}
