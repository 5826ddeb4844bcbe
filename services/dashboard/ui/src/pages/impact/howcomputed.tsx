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
        <li><b>Cost with default model</b> is what the same tokens would have cost with the default model. Signalbox uses the default model of the key. If the key has no default model, the account’s applies, and if the account has none, the policy’s. The settings at the time of the request apply{newestBaseline ? <>. The newest request is compared with <span class="mono">{newestBaseline}</span></> : null}. Requests for an explicit model use that model as the baseline, so they show no savings unless a cheaper provider serves the model.</li>
        <li><b>Cost</b> is what all attempts of a request cost, including failed ones.</li>
        <li><b>Saved</b> is the cost with the default model minus the cost of the request. For a failed request, the cost with the default model is zero, so the cost of its attempts reduces the savings.</li>
        <li>Prices are those at the time of the request. Changing a price or the default model does not change the figures of past requests.</li>
        <li>Another model might have used more or fewer tokens. The figures do not estimate this.</li>
        <li>Requests without a known price are counted, but not included in the savings.</li>
        <li>Sums are exact to a billionth of a dollar: the rows on the Requests page add up to them. Days are in UTC.</li>
      </ul>
    </details>
  )
}
