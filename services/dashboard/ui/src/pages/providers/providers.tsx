// How the providers do: what the router sees now, and what the ledger has of
// this account's own attempts.
import { useApi } from '../../api'
import { RangePicker } from '../../components/rangepicker'
import { Await, Empty, ErrorBox } from '../../components/states'
import { count, plural } from '../../format'
import { useEvery } from '../../every'
import { query, range, words } from '../../range'
import { address } from '../../router'
import { Provider } from './provider'
import { byProvider, sentence, type Health, type Tally } from './target'

/** How many requests of a range are looked at; of more than these, the newest. */
const most = 1000

/** What the figures of the account are of. */
function over(requests: number | undefined, range: string): string {
  const span = words[range]?.toLowerCase() ?? 'in the range'
  return requests !== undefined && requests >= most ? `This account, newest ${count(requests)} requests` : `This account, ${span}`
}

export function Providers() {
  const r = range()
  const status = useApi<{ policy_version: string; items: Health[] }>('/providers')
  const ledger = useApi<{ requests: number; items: Tally[] }>(address('/attempts', query(r)))
  useEvery(status.again)
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Providers</h1><RangePicker /></div>
      <Await of={status}>
        {(s) => s.items.length === 0 ? (
          <Empty title="No provider"><p>The policy names no target that could serve a request.</p></Empty>
        ) : (
          <>
            <p class="headline">{sentence(s.items)}</p>
            {ledger.error ? <ErrorBox error={ledger.error} again={ledger.again} /> : null}
            {[...byProvider(s.items, ledger.data?.items ?? [])].map(([name, targets]) => <Provider key={name} name={name} targets={targets} range={r.text} over={over(ledger.data?.requests, r.text)} />)}
            <p class="meta prose">
              What happened in the last five minutes, the proxies told the router. The figures of this account are of {ledger.data ? (ledger.data.requests >= most ? `the newest ${count(ledger.data.requests)} requests of the range` : `the ${plural(ledger.data.requests, 'request')} of the range`) : 'the requests of the range'}; each failure opens the newest of them in which it happened. Policy <span class="mono">{s.policy_version.slice(0, 12)}</span>.
            </p>
          </>
        )}
      </Await>
    </>
  )
}
