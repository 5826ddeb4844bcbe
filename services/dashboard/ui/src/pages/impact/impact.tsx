// What routing saved compared with the default model, over time and by group.
import { useApiWithPrevious } from '../../api'
import { FilterBar } from '../../components/filterbar'
import { Total } from '../../components/money'
import { NoRequests } from '../../components/norequests'
import { RangePicker } from '../../components/rangepicker'
import { SavingsPhrase, toCostTriple } from '../../components/savings'
import { Await } from '../../components/states'
import { addTerm } from '../../filter'
import { pluralize } from '../../format'
import { formatPerThousand, formatTotals } from '../../money'
import { currentRange, rangeQuery } from '../../range'
import { requestsURL } from '../../requestlinks'
import { buildURL, params } from '../../router'
import { Breakdown } from './breakdown'
import { Cumulative } from './cumulative'
import { findGrouping } from './groups'
import { HowComputed } from './howcomputed'
import { Losses } from './losses'
import type { ImpactData } from './types'

/** The range of the page if the URL has none. */
const defaultImpactRange = '30d'

export function Impact() {
  const r = currentRange(defaultImpactRange)
  const filter = params.value.get('q') ?? ''
  const by = findGrouping(params.value.get('by'))
  const query = { group_by: by.by, filter, ...rangeQuery(r) }
  const loaded = useApiWithPrevious<ImpactData>(buildURL('/impact', query))
  const scope = { filter, range: r.text }
  const hasFilterError = loaded.error?.details.param === 'filter'
  return (
    <>
      <div class="pagehead">
        <h1 tabIndex={-1}>Impact</h1>
        <RangePicker defaultRange={defaultImpactRange} />
        <a class="button" href={'/api/v1' + buildURL('/impact', { ...query, format: 'csv' })} download>Download CSV</a>
      </div>
      <FilterBar error={loaded.error} />
      {hasFilterError ? null : (
        <Await of={loaded}>
          {(d) => d.requests === 0 ? <NoRequests /> : (
            <>
              <Headline data={d} scope={scope} />
              <Cumulative data={d} />
              <Breakdown data={d} by={by} scope={scope} />
              <Losses scope={scope} query={rangeQuery(r)} />
              <HowComputed scope={scope} query={rangeQuery(r)} />
            </>
          )}
        </Await>
      )}
    </>
  )
}

function Headline({ data: d, scope }: { data: ImpactData; scope: { filter: string; range: string } }) {
  const text = formatTotals(toCostTriple(d))
  return (
    <div class="stack">
      <p class="headline large">
        The default model would have cost <Total nano={d.baseline_nano_usd} as={text.baseline} />. With routing, the cost was <Total nano={d.routed_nano_usd} as={text.routed} />: <SavingsPhrase of={d} />.
      </p>
      <p class="soft">
        <a href={requestsURL(scope.filter, scope.range)}>{pluralize(d.requests, 'request')}</a>
        {BigInt(d.saved_nano_usd) > 0n ? `, ${formatPerThousand(d.saved_nano_usd, d.requests - d.unpriced)} saved per 1,000 requests` : ''}
        {d.unpriced > 0 ? <>; <a href={requestsURL(addTerm(scope.filter, 'is:unpriced'), scope.range)}>{pluralize(d.unpriced, 'request')} without a known price</a> {d.unpriced === 1 ? 'is' : 'are'} not included in the savings</> : null}.
      </p>
    </div>
  )
}
