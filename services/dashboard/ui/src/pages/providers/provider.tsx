import { Code, Duration, StatusDot, Time } from '../../components/basics'
import { filterTerm } from '../../filter'
import { escapeInvisible, formatCount } from '../../format'
import { formatPercent } from '../../money'
import { buildURL } from '../../router'
import { type Credential, describeCredential, type Drain, findDrain } from './drain'
import { DrainButton } from './drains'
import { type Endpoint, healthState, stateNames } from './endpoint'
import { TestCall } from './testcall'

/** One provider and its endpoints. */
export function Provider({ name, endpoints, credentials, drains, range, statsHeading }: { name: string; endpoints: Endpoint[]; credentials: Credential[]; drains: Drain[]; range: string; statsHeading: string }) {
  return (
    <section class="stack provider" aria-label={name}>
      <div class="line"><h2>{escapeInvisible(name)}</h2>{findDrain(drains, { provider: name }) ? <span class="lost">Drained</span> : null}<DrainButton of={{ provider: name }} drains={drains} /></div>
      {credentials.length > 0 ? <ul class="line credentials" aria-label={`Credentials of ${name}`}>{credentials.map((c) => <CredentialState key={c.name} of={c} />)}</ul> : null}
      <div class="scroll" tabIndex={0} role="region" aria-label={`Endpoints of ${name}`}>
        <table class="table">
          <thead>
            <EndpointHeadings statsHeading={statsHeading} />
          </thead>
          <tbody>{endpoints.map((e) => <EndpointRow key={e.health.model} of={e} drains={drains} range={range} />)}</tbody>
        </table>
      </div>
    </section>
  )
}

export function EndpointHeadings({ statsHeading }: { statsHeading: string }) {
  return (
    <>
      <tr><td /><td /><td /><th scope="colgroup" colSpan={5}>Last five minutes, all accounts</th><th scope="colgroup" colSpan={3}>{statsHeading}</th></tr>
      <tr>
        <th scope="col">Model</th><th scope="col">Test call</th><th scope="col">New requests</th><th scope="col">State</th><th scope="col" class="num">Calls</th><th scope="col" class="num">Failed</th>
        <th scope="col" class="num" title="Average time to the first token. Only streamed responses have one.">First token</th><th scope="col">Last error</th><th scope="col" class="num">Duration p50</th><th scope="col" class="num">Duration p95</th><th scope="col">Errors</th>
      </tr>
    </>
  )
}

function CredentialState({ of: c }: { of: Credential }) {
  const { ok, text } = describeCredential(c)
  return <li><StatusDot state={ok ? 'good' : 'bad'} /> <code>{escapeInvisible(c.name)}</code> {ok ? text : <span class="lost">{text}</span>}</li>
}

function EndpointRow({ of: { health: h, stats, drains: stopped }, drains, range }: { of: Endpoint; drains: Drain[]; range: string }) {
  const state = healthState(h)
  const all = h.succeeded + h.failed
  const rows = buildURL('/requests', { q: `${filterTerm('provider', h.provider)} ${filterTerm('model', h.model)}`, range })
  return (
    <tr>
      <th scope="row"><a href={rows}>{escapeInvisible(h.model)}</a></th>
      <td><TestCall provider={h.provider} model={h.model} /></td>
      <td><span class="line">{stopped.length > 0 ? <span class="lost" title={stopped.map((d) => d.reason).join('; ')}>Drained</span> : 'Accepted'}<DrainButton of={h} drains={drains} /></span></td>
      <td class="state" title={h.down ?? undefined}>{state === 'idle' ? <span class="soft">{stateNames.idle}</span> : <><StatusDot state={state === 'breakerOpen' ? 'bad' : state} /> {stateNames[state]}</>}</td>
      <td class="num">{formatCount(all)}</td>
      <td class={h.failed > 0 ? 'num lost' : 'num'}>{formatCount(h.failed)}{h.failed > 0 ? ` (${formatPercent((h.failed / all) * 100)})` : ''}</td>
      <td class="num"><Duration us={h.first_token_us} /></td>
      <td>{h.last_code ? <><Code code={h.last_code} />{h.last_failure ? <> <span class="soft"><Time at={h.last_failure} as="relative" /></span></> : null}</> : <span class="soft">none</span>}</td>
      <td class="num"><Duration us={stats?.p50_us} /></td>
      <td class="num"><Duration us={stats?.p95_us} /></td>
      <td>
        {stats?.failures.length ? (
          <ul class="failures">
            {stats.failures.map((f) => <li key={f.code}><a href={`/requests/${f.request_id}?tab=timeline`} title="View the newest request with this error"><Code code={f.code} /></a> × {formatCount(f.attempts)}</li>)}
          </ul>
        ) : <span class="soft">none</span>}
      </td>
    </tr>
  )
}
