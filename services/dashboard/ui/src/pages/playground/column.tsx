// One model: its streamed response, and what the decision, the time and the tokens were.
import type { Signal } from '@preact/signals'
import { useApi } from '../../api'
import { Duration } from '../../components/basics'
import { Money } from '../../components/money'
import { RouteChip, routeKind } from '../../components/route'
import { ErrorBox } from '../../components/states'
import { formatNumbersIn, escapeInvisible, formatCount, formatModel } from '../../format'
import type { RequestDetail } from '../../types'
import { Feedback } from '../request/feedback'
import type { Output } from './events'
import type { Run } from './run'

const stateNames: Record<Run['state'], string> = { running: 'Running', done: 'Finished', stopped: 'Stopped', failed: 'Failed' }

export function Column({ model, run }: { model: string; run: Signal<Run> }) {
  const r = run.value
  return (
    <section class="runcolumn stack" aria-label={'Response to ' + model}>
      <div class="line spread"><h2><bdi>{escapeInvisible(model)}</bdi></h2><span class="meta">{stateNames[r.state]}</span></div>
      {r.error ? <ErrorBox error={r.error} /> : null}
      <Response output={r.output} running={r.state === 'running'} />
      {r.record === 'stored' && r.id ? <Facts id={r.id} model={model} /> : r.state === 'running' ? null : <p class="meta">{r.record === 'waiting' ? 'Waiting for the record.' : 'There is no record of this request.'}</p>}
    </section>
  )
}

function Response({ output: o, running }: { output: Output; running: boolean }) {
  const isEmpty = !o.text && !o.thinking && o.calls.length === 0
  return (
    <div class="output" tabIndex={0} role="group" aria-label="Text of the response" aria-busy={running}>
      {o.thinking ? <details><summary>Thinking</summary><pre dir="auto">{escapeInvisible(o.thinking)}</pre></details> : null}
      {o.text ? <pre dir="auto">{escapeInvisible(o.text)}</pre> : null}
      {o.calls.map((c, i) => <pre key={i} dir="auto"><b>Tool call</b> {escapeInvisible(`${c.name}(${c.arguments})`)}</pre>)}
      {isEmpty ? <p class="soft">{running ? 'Waiting for the first token.' : 'No text.'}</p> : null}
    </div>
  )
}

function Facts({ id, model }: { id: string; model: string }) {
  const r = useApi<RequestDetail>('/requests/' + encodeURIComponent(id)).data
  if (!r) return null
  const input = r.tokens.input + r.tokens.cache_read + r.tokens.cache_write
  return (
    <>
      <dl class="facts">
        <dt>Decision</dt><dd><RouteChip kind={routeKind(r)} /> {r.model ? <bdi>{escapeInvisible(`${formatModel(r)} @ ${r.provider}`)}</bdi> : 'Not served'}</dd>
        {r.reason?.text ? <><dt>Reason</dt><dd>{formatNumbersIn(escapeInvisible(r.reason.text))}</dd></> : null}
        <dt>Cost</dt><dd><Money nano={r.cost_nano_usd} />{r.cost_basis === 'estimated' ? ' (estimated)' : ''}</dd>
        <dt>Latency</dt><dd><Duration us={r.latency_us} />, first token <Duration us={r.ttft_us} /></dd>
        <dt>Tokens</dt><dd>{formatCount(input)} in, {formatCount(r.tokens.output)} out</dd>
      </dl>
      <Feedback r={r} label={`Quality of the response to ${model}`} />
      <a href={'/requests/' + r.id}>View request</a>
    </>
  )
}
