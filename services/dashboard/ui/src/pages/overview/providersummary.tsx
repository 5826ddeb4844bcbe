import { useApi } from '../../api'
import { StatusDot, Time } from '../../components/basics'
import { Await } from '../../components/states'
import { filterTerm } from '../../filter'
import { pluralize } from '../../format'
import { groupBy } from '../../groupby'
import { formatPercent } from '../../money'
import { requestsURL } from '../../requestlinks'
import { type Health, healthState, stateNames } from '../providers/endpoint'

/** The health of each provider in one line. */
export function ProviderSummary({ range }: { range: string }) {
  const loaded = useApi<{ items: Health[] }>('/providers')
  return (
    <section class="stack" aria-labelledby="providers">
      <h2 id="providers">Providers <span class="meta">last five minutes, all accounts</span></h2>
      <Await of={loaded} rows={1}>
        {(d) => <ul class="matters">{groupBy(d.items, (e) => e.provider).map(([name, endpoints]) => <ProviderLine key={name} name={name} endpoints={endpoints} range={range} />)}</ul>}
      </Await>
    </section>
  )
}

function ProviderLine({ name, endpoints, range }: { name: string; endpoints: Health[]; range: string }) {
  const failed = endpoints.reduce((n, t) => n + t.failed, 0)
  const calls = endpoints.reduce((n, t) => n + t.succeeded, failed)
  const part = calls === 0 ? 0 : (100 * failed) / calls
  const last = endpoints.filter((t) => t.last_failure).sort((a, b) => (a.last_failure! < b.last_failure! ? 1 : -1))[0]
  const state = healthState(...endpoints)
  return (
    <li>
      <StatusDot state={state === 'breakerOpen' ? 'bad' : state === 'idle' ? 'degraded' : state} label={stateNames[state]} />
      <span>
        <a href={requestsURL(filterTerm('provider', name), range)}>{name}</a>:{' '}
        {calls === 0 ? 'no calls' : <>{formatPercent(part)} of {pluralize(calls, 'call')} failed</>}
        {last ? <span class="soft">{calls === 0 ? '; last error' : ', last error'} <span class="mono">{last.last_code}</span> from {last.model} <Time at={last.last_failure!} as="relative" /></span> : null}
      </span>
    </li>
  )
}
