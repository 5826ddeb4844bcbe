import { Dot, Span, Time } from '../../components/bits'
import { count, visible } from '../../format'
import { percent } from '../../money'
import { address } from '../../router'
import { word } from '../../words'
import { stateOf, words, type Target } from './target'

/** One provider and its targets. */
export function Provider({ name, targets, range, over }: { name: string; targets: Target[]; range: string; over: string }) {
  return (
    <section class="stack provider" aria-label={name}>
      <h2>{visible(name)}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Targets of ${name}`}>
        <table class="table">
          <thead>
            <tr><td /><th scope="colgroup" colSpan={5}>Last five minutes, all accounts</th><th scope="colgroup" colSpan={3}>{over}</th></tr>
            <tr>
              <th scope="col">Model</th><th scope="col">State</th><th scope="col" class="num">Attempts</th><th scope="col" class="num">Failed</th>
              <th scope="col" class="num">First token</th><th scope="col">Last failure</th><th scope="col" class="num">p50</th><th scope="col" class="num">p95</th><th scope="col">Failures</th>
            </tr>
          </thead>
          <tbody>{targets.map((t) => <Row key={t.health.model} of={t} range={range} />)}</tbody>
        </table>
      </div>
    </section>
  )
}

function Row({ of: { health: h, tally }, range }: { of: Target; range: string }) {
  const state = stateOf(h)
  const all = h.succeeded + h.failed
  const rows = address('/requests', { q: `${word('provider', h.provider)} ${word('model', h.model)}`, range })
  return (
    <tr>
      <th scope="row"><a href={rows}>{visible(h.model)}</a></th>
      <td class="state" title={h.down ?? undefined}>{state === 'idle' ? <span class="soft">{words.idle}</span> : <><Dot state={state === 'out' ? 'bad' : state} /> {words[state]}</>}</td>
      <td class="num">{count(all)}</td>
      <td class={h.failed > 0 ? 'num lost' : 'num'}>{count(h.failed)}{h.failed > 0 ? ` (${percent((h.failed / all) * 100)})` : ''}</td>
      <td class="num"><Span us={h.first_token_us} /></td>
      <td>{h.last_code ? <><span class="mono">{h.last_code}</span>{h.last_failure ? <> <span class="soft"><Time at={h.last_failure} as="relative" /></span></> : null}</> : <span class="soft">none</span>}</td>
      <td class="num"><Span us={tally?.p50_us} /></td>
      <td class="num"><Span us={tally?.p95_us} /></td>
      <td>
        {tally?.failures.length ? (
          <ul class="failures">
            {tally.failures.map((f) => <li key={f.code}><a href={`/requests/${f.request_id}?tab=timeline`} title="The newest request in which it happened"><span class="mono">{f.code}</span></a> × {count(f.attempts)}</li>)}
          </ul>
        ) : <span class="soft">none</span>}
      </td>
    </tr>
  )
}
