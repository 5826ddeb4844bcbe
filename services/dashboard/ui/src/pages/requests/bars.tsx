import { useEffect, useRef } from 'preact/hooks'
import { useLast } from '../../api'
import { address } from '../../router'
import { Histogram, type HistogramData } from './histogram'

/** While rows come, the bars follow so often at most. */
const pause = 5000

/** The requests of the list over time. The last drawing stays while another is on its way. */
export function Bars({ of, came, room }: { of: Record<string, string | null>; came: number; room: boolean }) {
  const loaded = useLast<HistogramData>(address('/requests/histogram', of))
  const again = useRef(loaded.again)
  again.current = loaded.again
  const timer = useRef(0)
  useEffect(() => {
    if (came === 0 || timer.current) return
    timer.current = window.setTimeout(() => {
      timer.current = 0
      again.current()
    }, pause)
  }, [came])
  useEffect(() => () => clearTimeout(timer.current), [])
  const { data, error } = loaded
  const some = data && data.buckets.length > 0
  if (!some && !error && !(room && !data)) return null
  return (
    <div class="bars" aria-busy={!data && !error}>
      {error ? (
        <p class="lost" role="alert">
          {some ? 'The bars are old' : 'The bars cannot be drawn'}: {error.message} <span class="mono">{error.code}</span>{' '}
          <button type="button" class="button small" onClick={loaded.again}>Try again</button>
        </p>
      ) : null}
      {some ? <Histogram data={data} /> : null}
    </div>
  )
}
