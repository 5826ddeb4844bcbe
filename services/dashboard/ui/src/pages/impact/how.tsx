import { useApi } from '../../api'
import { address } from '../../router'
import type { Items, Request } from '../../types'
import { add } from '../../words'

/** What the figures mean, for whoever has to believe them. */
export function How({ scope, query }: { scope: { filter: string }; query: Record<string, string | null> }) {
  const newest = useApi<Items<Request>>(address('/requests', { filter: add(scope.filter, 'cost:>0'), ...query, limit: '1' }))
  const against = newest.data?.items[0]?.baseline.model
  return (
    <details class="how">
      <summary>How this is computed</summary>
      <ul class="prose">
        <li><b>Default</b> is what the same tokens would have cost at the price of the default model. That is the one of the key, else of the account, else of the policy, at the time of the request{against ? <>; the newest request was held against <span class="mono">{against}</span></> : null}. Who names a model is held against that model, so nothing is kept there.</li>
        <li><b>Routed</b> is what all attempts cost, failed ones included.</li>
        <li><b>Kept</b> is the difference, request by request. A request that produced nothing has a default of nothing: what its attempts cost counts against routing.</li>
        <li>Prices are those of the moment of the request. Changing a price or the default model changes no past figure.</li>
        <li>Another model might have used more tokens, or fewer. That is not guessed at.</li>
        <li>A request without a known price is counted, and is in no sum of what was kept.</li>
        <li>Sums are whole nano-dollars: the rows on the Requests page add up to them exactly. Days are those of UTC.</li>
      </ul>
    </details>
  )
}
