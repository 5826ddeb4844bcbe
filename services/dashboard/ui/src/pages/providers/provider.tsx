import { Duration, StatusDot, Time } from '../../components/basics'
import { filterTerm } from '../../filter'
import { escapeInvisible, formatCount } from '../../format'
import { formatPercent } from '../../money'
import { buildURL } from '../../router'
import { type Endpoint, healthState, stateNames } from './endpoint'
import { TestCall } from './testcall'

/** One provider and its endpoints. */
export function Provider({ name, endpoints, range, statsHeading }: { name: string; endpoints: Endpoint[]; range: string; statsHeading: string }) {
  return (
    <section class="stack provider" aria-label={name}>
      <h2>{escapeInvisible(name)}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Endpoints of ${name}`}>
        <table class="table">
          <thead>
            <tr><td /><td /><th scope="colgroup" colSpan={5}>Last five minutes, all accounts</th><th scope="colgroup" colSpan={3}>{statsHeading}</th></tr>
            <tr>
              <th scope="col">Model</th><th scope="col">Test call</th><th scope="col">State</th><th scope="col" class="num">Calls</th><th scope="col" class="num">Failed</th>
              <th scope="col" class="num">First token</th><th scope="col">Last error</th><th scope="col" class="num">Duration p50</th><th scope="col" class="num">Duration p95</th><th scope="col">Errors</th>
            </tr>
          </thead>
          <tbody>{endpoints.map((e) => <EndpointRow key={e.health.model} of={e} range={range} />)}</tbody>
        </table>
      </div>
    </section>
  )
}

function EndpointRow({ of: { health: h, stats }, range }: { of: Endpoint; range: string }) {
  const state = healthState(h)
  const all = h.succeeded + h.failed
  const rows = buildURL('/requests', { q: `${filterTerm('provider', h.provider)} ${filterTerm('model', h.model)}`, range })
  return (
    <tr>
      <th scope="row"><a href={rows}>{escapeInvisible(h.model)}</a></th>
      <td><TestCall provider={h.provider} model={h.model} /></td>
      <td class="state" title={h.down ?? undefined}>{state === 'idle' ? <span class="soft">{stateNames.idle}</span> : <><StatusDot state={state === 'breakerOpen' ? 'bad' : state} /> {stateNames[state]}</>}</td>
      <td class="num">{formatCount(all)}</td>
      <td class={h.failed > 0 ? 'num lost' : 'num'}>{formatCount(h.failed)}{h.failed > 0 ? ` (${formatPercent((h.failed / all) * 100)})` : ''}</td>
      <td class="num"><Duration us={h.first_token_us} /></td>
      <td>{h.last_code ? <><span class="mono">{h.last_code}</span>{h.last_failure ? <> <span class="soft"><Time at={h.last_failure} as="relative" /></span></> : null}</> : <span class="soft">none</span>}</td>
      <td class="num"><Duration us={stats?.p50_us} /></td>
      <td class="num"><Duration us={stats?.p95_us} /></td>
      <td>
        {stats?.failures.length ? (
          <ul class="failures">
            {stats.failures.map((f) => <li key={f.code}><a href={`/requests/${f.request_id}?tab=timeline`} title="View the newest request with this error"><span class="mono">{f.code}</span></a> × {formatCount(f.attempts)}</li>)}
          </ul>
        ) : <span class="soft">none</span>}
      </td>
    </tr>
  )
}
