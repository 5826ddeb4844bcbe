import { useEffect, useRef } from 'preact/hooks'
import { useApiWithPrevious } from '../../api'
import { buildURL } from '../../router'
import { Histogram, type HistogramData } from './histogram'

/** The shortest time between two updates while live requests arrive. */
const refreshIntervalMs = 5000

/** The histogram above the request list. It updates while live requests arrive. The previous chart stays visible while new data loads. */
export function LiveHistogram({ of, liveCount, reserveSpace }: { of: Record<string, string | null>; liveCount: number; reserveSpace: boolean }) {
  const loaded = useApiWithPrevious<HistogramData>(buildURL('/requests/histogram', of))
  const reload = useRef(loaded.reload)
  reload.current = loaded.reload
  const timer = useRef(0)
  useEffect(() => {
    if (liveCount === 0 || timer.current) return
    timer.current = window.setTimeout(() => {
      timer.current = 0
      reload.current()
    }, refreshIntervalMs)
  }, [liveCount])
  useEffect(() => () => clearTimeout(timer.current), [])
  const { data, error } = loaded
  const some = data && data.buckets.length > 0
  if (!some && !error && !(reserveSpace && !data)) return null
  return (
    <div class="bars" aria-busy={!data && !error}>
      {error ? (
        <p class="lost" role="alert">
          {some ? 'The chart is out of date' : 'The chart could not be loaded'}: {error.message} <span class="mono">{error.code}</span>{' '}
          <button type="button" class="button small" onClick={loaded.reload}>Try again</button>
        </p>
      ) : null}
      {some ? <Histogram data={data} /> : null}
    </div>
  )
}
