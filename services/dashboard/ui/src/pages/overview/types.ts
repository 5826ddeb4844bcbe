// The response of the overview API, and the scope of the page.
import type { Sums } from '../../types'
import type { HistogramData } from '../requests/histogram'

/** The requests of one period. */
export interface Period extends Sums {
  ok: number
  /** Requests that were rejected before a model was called. */
  rejected: number
  fallback: number
  policy: number
}

export interface OverviewData {
  now: Period
  /** The preceding period of the same length. */
  before: Period
  /** Latencies of the newest requests. */
  measured: { requests: number; gateway_p50_us: number | null; gateway_p95_us: number | null; ttft_p95_us: number | null }
  histogram: HistogramData
  /** A sentence that compares the quality with that of the default model; null if nothing is known. */
  quality: string | null
  notices: { text: string; link: string }[]
}

/** The filter and range of the page. */
export interface Scope {
  filter: string
  range: string
}
