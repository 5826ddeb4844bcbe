// What the requests cost over time, by key, model, provider, tag, user, session or
// client, and what the month will cost.
import { useApi, useApiWithPrevious } from '../../api'
import { FilterBar } from '../../components/filterbar'
import { Total } from '../../components/money'
import { NoRequests } from '../../components/norequests'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { addTerm } from '../../filter'
import { pluralize } from '../../format'
import { formatShare } from '../../money'
import { currentRange, rangeNames, rangeQuery } from '../../range'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL, params, withParams } from '../../router'
import type { Items } from '../../types'
import type { Budget } from '../account/budget'
import { MetadataGrouping } from '../impact/breakdown'
import { findGrouping, type Grouping, groupings } from '../impact/groups'
import { BudgetForecasts, ForecastSentence, KeyForecasts } from './forecast'
import { SpendChart } from './spendchart'
import { groupName } from './steps'
import { SpendTable } from './table'
import type { Measure, MonthForecast, Scope, SpendData } from './types'
import { VolumeHeadline, VolumeReport } from './volume'

/** The range of the page if the URL has none. */
const defaultSpendRange = '30d'

const shownGroupings: Grouping[] = ['key', 'model', 'provider', 'tag', 'user', 'session', 'agent'].map(findGrouping)

const measures: [Measure, string][] = [['cost', 'Cost'], ['requests', 'Requests'], ['tokens', 'Tokens']]

export function Spend() {
  const r = currentRange(defaultSpendRange)
  const filter = params.value.get('q') ?? ''
  const by = findGrouping(params.value.get('by') ?? 'key')
  const measure = measures.find(([m]) => m === params.value.get('measure'))?.[0] ?? 'cost'
  const loaded = useApiWithPrevious<SpendData>(buildURL('/spend', { group_by: by.by, filter, ...rangeQuery(r) }))
  const month = useApi<MonthForecast>('/spend/forecast')
  const budgets = useApi<Items<Budget>>('/budgets')
  const scope = { filter, range: r.text }
  return (
    <>
      <div class="line pagetools"><RangePicker defaultRange={defaultSpendRange} /></div>
      <FilterBar error={loaded.error} />
      {loaded.error?.details.param === 'filter' ? null : (
        <Await of={loaded}>
          {(d) => d.requests === 0 ? <NoRequests /> : (
            <>
              <div class="stack">
                {measure === 'cost' ? <CostHeadline data={d} by={by} scope={scope} /> : <VolumeHeadline by={by} scope={scope} measure={measure} query={rangeQuery(r)} />}
                {measure === 'cost' && month.data ? <ForecastSentence month={month.data} groupBudgets={budgets.data?.items.length ?? 0} /> : null}
                {measure === 'cost' && d.unpriced > 0 ? <p class="soft"><a href={requestsURL(addTerm(filter, 'is:unpriced'), r.text)}>{pluralize(d.unpriced, 'request')}</a> without a known price {d.unpriced === 1 ? 'is' : 'are'} not included in the cost.</p> : null}
              </div>
              {month.data || month.error ? null : <div class="loading" />}
              <section class="stack" aria-labelledby="spend-by">
                <h2 id="spend-by">By {groupings.includes(by) ? by.name.toLowerCase() : by.name}</h2>
                <GroupingNav by={by} />
                <MeasureNav measure={measure} />
                {measure !== 'cost' ? <VolumeReport by={by} scope={scope} measure={measure} query={rangeQuery(r)} /> : <><SpendChart data={d} by={by} scope={scope} /><SpendTable data={d} by={by} scope={scope} /></>}
              </section>
            </>
          )}
        </Await>
      )}
      <Await of={month} rows={2}>{(m) => <><KeyForecasts month={m} /><BudgetForecasts month={m} /></>}</Await>
    </>
  )
}

function MeasureNav({ measure }: { measure: Measure }) {
  return <nav class="by" aria-label="Measure">{measures.map(([m, name]) => <a key={m} href={withParams({ measure: m === 'cost' ? null : m, sort: null })} aria-current={m === measure ? 'true' : undefined}>{name}</a>)}</nav>
}

function GroupingNav({ by }: { by: Grouping }) {
  const listed = shownGroupings.includes(by)
  return (
    <>
      <nav class="by" aria-label="Group by">
        {[...shownGroupings, ...(listed ? [] : [by])].map((g) => <a key={g.by} href={withParams({ by: g.by === 'key' ? null : g.by })} aria-current={g === by ? 'true' : undefined}>{g.name}</a>)}
        <MetadataGrouping />
      </nav>
      {by.by === 'tag' ? <p class="soft">A request counts in the group of each of its tags, so the groups can add up to more than the total.</p> : null}
    </>
  )
}

function CostHeadline({ data: d, by, scope }: { data: SpendData; by: Grouping; scope: Scope }) {
  const first = d.groups.find((g) => !g.other && g.group !== null)
  const at = first ? narrowFilter(scope.filter, by.by, first.group) : null
  return (
    <p class="headline">
      <a href={requestsURL(scope.filter, scope.range)}>{pluralize(d.requests, 'request')}</a> cost <b><Total nano={d.routed_nano_usd} /></b>{rangeNames[scope.range] ? ` in the ${rangeNames[scope.range]!.toLowerCase()}` : ''}.
      {first && BigInt(first.routed_nano_usd) > 0n ? <>{' '}The {by.name.toLowerCase()} {at ? <a href={requestsURL(at, scope.range)}>{groupName(first, by)}</a> : groupName(first, by)} cost most: <b><Total nano={first.routed_nano_usd} /></b> ({formatShare(first.routed_nano_usd, d.routed_nano_usd)}).</> : null}
    </p>
  )
}
