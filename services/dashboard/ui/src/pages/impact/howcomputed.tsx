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
        <li><b>Default cost</b> is what the same tokens would have cost with the default model. Signalbox uses the default model of the key. If the key has none, it uses that of the account, and otherwise that of the policy. The settings at the time of the request apply{newestBaseline ? <>. The newest request is compared with <span class="mono">{newestBaseline}</span></> : null}. A request that names a model is compared with that model, so it shows no savings.</li>
        <li><b>Cost</b> is what all attempts of a request cost, including failed ones.</li>
        <li><b>Saved</b> is the default cost minus the cost of a request. The default cost of a failed request is zero, so the cost of its attempts reduces the savings.</li>
        <li>Prices are those at the time of the request. Changing a price or the default model does not change the figures of past requests.</li>
        <li>Another model might have used more or fewer tokens. The figures do not estimate this.</li>
        <li>Requests without a known price are counted, but not included in the savings.</li>
        <li>Sums are exact to a billionth of a dollar: the rows on the Requests page add up to them. Days are in UTC.</li>
      </ul>
    </details>
  )
}
