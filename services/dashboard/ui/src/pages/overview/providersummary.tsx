import { useApi } from '../../api'
import { StatusDot, Time } from '../../components/basics'
import { Await } from '../../components/states'
import { filterTerm } from '../../filter'
import { pluralize } from '../../format'
import { groupBy } from '../../groupby'
import { formatPercent } from '../../money'
import { requestsURL } from '../../requestlinks'

interface EndpointHealth {
  provider: string
  model: string
  succeeded: number
  failed: number
  last_code: string | null
  last_failure: string | null
}

/** The health of each provider in one line. */
export function ProviderSummary({ range }: { range: string }) {
  const loaded = useApi<{ items: EndpointHealth[] }>('/providers')
  return (
    <section class="stack" aria-labelledby="providers">
      <h2 id="providers">Providers <span class="meta">last five minutes, all accounts</span></h2>
      <Await of={loaded} rows={1}>
        {(d) => <ul class="matters">{groupBy(d.items, (e) => e.provider).map(([name, endpoints]) => <ProviderLine key={name} name={name} endpoints={endpoints} range={range} />)}</ul>}
      </Await>
    </section>
  )
}

function ProviderLine({ name, endpoints, range }: { name: string; endpoints: EndpointHealth[]; range: string }) {
  const failed = endpoints.reduce((n, t) => n + t.failed, 0)
  const calls = endpoints.reduce((n, t) => n + t.succeeded, failed)
  const part = calls === 0 ? 0 : (100 * failed) / calls
  const last = endpoints.filter((t) => t.last_failure).sort((a, b) => (a.last_failure! < b.last_failure! ? 1 : -1))[0]
  const state = calls === 0 ? 'half' : part >= 50 ? 'bad' : part >= 5 ? 'half' : 'good'
  return (
    <li>
      <StatusDot state={state} label={{ good: 'Healthy', half: calls === 0 ? 'No recent calls' : 'Some calls fail', bad: 'At least half of the calls fail' }[state]} />
      <span>
        <a href={requestsURL(filterTerm('provider', name), range)}>{name}</a>:{' '}
        {calls === 0 ? 'no calls' : <>{formatPercent(part)} of {pluralize(calls, 'call')} failed</>}
        {last ? <span class="soft">{calls === 0 ? '; last error' : ', last error'} <span class="mono">{last.last_code}</span> from {last.model} <Time at={last.last_failure!} as="relative" /></span> : null}
      </span>
    </li>
  )
}
