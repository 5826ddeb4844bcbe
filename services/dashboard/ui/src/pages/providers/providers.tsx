// The health of the providers: the current state that the router reports, and the
// attempts of this account in the ledger.
import { useState } from 'preact/hooks'
import { useApi, useApiWithPrevious } from '../../api'
import { RangePicker } from '../../components/rangepicker'
import { Await, EmptyState, ErrorBox, Skeleton } from '../../components/states'
import { formatCount, pluralize } from '../../format'
import { usePolling } from '../../polling'
import { currentRange, rangeNames, rangeQuery } from '../../range'
import { buildURL, params } from '../../router'
import type { Credential, Drain } from './drain'
import { DrainList } from './drains'
import { type AttemptStats, groupByProvider, type Health, summarizeHealth } from './endpoint'
import { LocalLink, type LocalSearch, LocalServers } from './local'
import { Provider } from './provider'
import { SupportedProviders } from './supported'

/** The maximum number of requests that the statistics cover. If there are more, the server uses the newest. */
const maxRequests = 1000

/** Returns the heading of the account's columns. The heading names the requests that the statistics cover. */
function describeStatsScope(requests: number | undefined, range: string): string {
  const span = rangeNames[range]?.toLowerCase() ?? 'selected range'
  return requests !== undefined && requests >= maxRequests ? `This account, newest ${formatCount(requests)} requests` : `This account, ${span}`
}

export function Providers() {
  const r = currentRange()
  const status = useApi<{ policy_version: string; items: Health[]; drains: Drain[]; credentials: Credential[] }>('/providers')
  const ledger = useApiWithPrevious<{ requests: number; items: AttemptStats[] }>(buildURL('/attempts', rangeQuery(r)))
  const [found, setFound] = useState<LocalSearch>()
  usePolling(status.reload)
  return (
    <>
      <div class="line pagetools"><LocalLink /><RangePicker /></div>
      {params.value.get('local') ? <LocalServers found={found} onFound={setFound} /> : null}
      <Await of={status}>
        {(s) => !ledger.data && !ledger.error ? <Skeleton /> : s.items.length === 0 ? (
          <EmptyState title="No providers"><p>The policy has no provider that serves a model. Add one as described below.</p></EmptyState>
        ) : (
          <>
            <p class="headline">{summarizeHealth(s.items)}{s.items.some((h) => h.failed > 0) ? <> <a href="/errors">Since when, and why</a></> : null}</p>
            <DrainList drains={s.drains} />
            {ledger.error ? <ErrorBox error={ledger.error} onRetry={ledger.reload} /> : null}
            {[...groupByProvider(s.items, ledger.data?.items ?? [], s.drains)].map(([name, endpoints]) => <Provider key={name} name={name} endpoints={endpoints} credentials={s.credentials.filter((c) => c.provider === name)} drains={s.drains} range={r.text} statsHeading={describeStatsScope(ledger.data?.requests, r.text)} />)}
            <p class="meta prose">
              Figures of the last five minutes come from all proxies. Figures of this account cover {ledger.data ? (ledger.data.requests >= maxRequests ? `the newest ${formatCount(ledger.data.requests)} requests in the range` : `${pluralize(ledger.data.requests, 'request')} in the range`) : 'the requests in the range'}. Select an error to view the newest request with this error. Policy version <span class="mono">{s.policy_version.slice(0, 12)}</span>.
            </p>
          </>
        )}
      </Await>
      <SupportedProviders credentials={status.data?.credentials} found={found?.items ?? []} />
    </>
  )
}
