// The overview: cost and savings in one sentence, key figures, traffic, and
// what needs attention.
import { useEffect, useState } from 'preact/hooks'
import { useApiWithPrevious } from '../../api'
import { boot } from '../../boot'
import { FilterBar } from '../../components/filterbar'
import { NoRequests } from '../../components/norequests'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { lazyPart } from '../../lazy'
import { currentRange, rangeQuery } from '../../range'
import { buildURL, params } from '../../router'
import { Histogram } from '../requests/histogram'
import { Attention } from './attention'
import { Headline } from './headline'
import { KeyFigures } from './keyfigures'
import { ProviderSummary } from './providersummary'
import type { OverviewData } from './types'

const TopSpend = lazyPart(async () => (await import('../spend/topspend')).TopSpend, true)

export function Overview() {
  useMinuteTick()
  const r = currentRange()
  const filter = params.value.get('q') ?? ''
  const loaded = useApiWithPrevious<OverviewData>(buildURL('/overview', { filter, ...rangeQuery(r) }))
  const scope = { filter, range: r.text }
  const hasFilterError = loaded.error?.details.param === 'filter'
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Overview</h1><RangePicker /></div>
      {boot.unclaimed ? <Unclaimed /> : null}
      {filter ? <FilterBar error={loaded.error} /> : null}
      {hasFilterError ? null : (
        <Await of={loaded}>
          {(d) => d.now.requests === 0 ? <NoRequests /> : (
            <>
              <Headline data={d} scope={scope} />
              <KeyFigures data={d} scope={scope} />
              <Histogram data={d.histogram} height={160} />
              <TopSpend scope={scope} query={rangeQuery(r)} />
              <Attention now={d.now} scope={scope} query={rangeQuery(r)} />
            </>
          )}
        </Await>
      )}
      {boot.operator ? <ProviderSummary range={r.text} /> : null}
    </>
  )
}

/** Tells the users of other accounts how to get the pages of the operator. */
function Unclaimed() {
  return (
    <div class="firstrun" role="note">
      <p><b>The operator account is not claimed yet.</b> This account cannot see or change the policy, the providers, other accounts and the system. To operate Signalbox, open the claim link that it printed when it started. <a href="/docs/getting-started#4-claim-the-account">How to claim the account</a></p>
    </div>
  )
}

/** Renders the component again every minute while the tab is visible, because a range that ends now moves with the clock. */
function useMinuteTick(): void {
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || draw((n) => n + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
}
