import { useApi } from '../../api'
import { addTerm } from '../../filter'
import { buildURL } from '../../router'
import type { Items, Request } from '../../types'

/** Explains how the figures are computed. */
export function HowComputed({ scope, query }: { scope: { filter: string }; query: Record<string, string | null> }) {
  const newest = useApi<Items<Request>>(buildURL('/requests', { filter: addTerm(scope.filter, 'cost:>0'), ...query, limit: '1' }))
  const newestBaseline = newest.data?.items[0]?.baseline.model
  return (
    <details class="how">
      <summary>How this is computed</summary>
      <ul class="prose">
        <li><b>Default</b> is what the same tokens would have cost with the default model: that of the key, or else of the account, or else of the policy, at the time of the request{newestBaseline ? <>. The newest request is compared with <span class="mono">{newestBaseline}</span></> : null}. Requests for an explicit model use that model as the baseline, so they show no savings.</li>
        <li><b>Routed</b> is the cost of all attempts, including failed ones.</li>
        <li><b>Saved</b> is default minus routed, for each request. A failed request has a default of zero, so the cost of its attempts reduces the savings.</li>
        <li>Prices are those at the time of the request. Changing a price or the default model does not change past figures.</li>
        <li>Another model might have used more or fewer tokens. The figures do not estimate this.</li>
        <li>Requests without a known price are counted, but not included in the savings.</li>
        <li>Sums are exact to the nano-dollar: the rows on the Requests page add up to them. Days are in UTC.</li>
      </ul>
    </details>
  )
}
