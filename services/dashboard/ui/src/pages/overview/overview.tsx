// How it goes, in one sentence; what needs attention, and the way to it.
import { useEffect, useState } from 'preact/hooks'
import { useLast } from '../../api'
import { boot } from '../../boot'
import { Nothing } from '../../components/nothing'
import { QueryBar } from '../../components/querybar'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { query, range } from '../../range'
import { address, params } from '../../router'
import type { Sums } from '../../types'
import { Histogram, type HistogramData } from '../requests/histogram'
import { Attention } from './attention'
import { Headline } from './headline'
import { Providers } from './providers'
import { Strip } from './strip'

/** The requests of one span. */
export interface Period extends Sums {
  ok: number
  /** Refused before any model was asked. */
  rejected: number
  fallback: number
  policy: number
}

export interface OverviewData {
  now: Period
  /** The span of the same length before. */
  before: Period
  /** Spans of the newest requests. */
  measured: { requests: number; gateway_p50_us: number | null; gateway_p95_us: number | null; ttft_p95_us: number | null }
  histogram: HistogramData
}

/** What a part of the page is about. */
export interface Scope {
  filter: string
  range: string
}

export function Overview() {
  useMinutes()
  const r = range()
  const filter = params.value.get('q') ?? ''
  const loaded = useLast<OverviewData>(address('/overview', { filter, ...query(r) }))
  const scope = { filter, range: r.text }
  const wrongFilter = loaded.error?.details.param === 'filter'
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Overview</h1><RangePicker /></div>
      {filter ? <QueryBar error={loaded.error} /> : null}
      {wrongFilter ? null : (
        <Await of={loaded}>
          {(d) => d.now.requests === 0 ? <Nothing /> : (
            <>
              <Headline data={d} scope={scope} />
              <Strip data={d} scope={scope} />
              <Histogram data={d.histogram} height={160} />
              <Attention now={d.now} scope={scope} query={query(r)} />
            </>
          )}
        </Await>
      )}
      {boot.operator ? <Providers range={r.text} /> : null}
    </>
  )
}

/** Draws again each minute while somebody looks, as a range that ends now moves on. */
function useMinutes(): void {
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || draw((n) => n + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
}
