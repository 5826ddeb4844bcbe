// What publishing a draft changes: the differences to the active version, and the effect on
// recorded requests.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, callApi } from '../../api'
import { ErrorBox, Skeleton } from '../../components/states'
import type { Position } from './codeeditor'
import { DiffView } from './diffview'
import { Problems } from './problems'
import { ReplayReport } from './replay'
import { replayRequests } from './replays'
import { type Difference, problemsFrom } from './types'

export function Preview({ text, onGo }: { text: string; onGo: (at: Position) => void }) {
  const difference = useCall((signal) => callApi<Difference>('POST', '/policy/diff', { to_document: text }, signal))
  const problems = problemsFrom(difference.error?.details)
  if (problems.length > 0) return <Problems all={problems} onGo={onGo} />
  return (
    <>
      <section class="stack" aria-labelledby="preview-changes">
        <h3 id="preview-changes">Changes</h3>
        {difference.error ? <ErrorBox error={difference.error} onRetry={difference.retry} /> : difference.data ? <DiffView of={difference.data} /> : <Skeleton rows={2} />}
      </section>
      <section class="stack" aria-labelledby="preview-effect">
        <h3 id="preview-effect">Effect on the last 7 days</h3>
        <Effect text={text} />
      </section>
    </>
  )
}

function Effect({ text }: { text: string }) {
  const replay = useCall((signal) => replayRequests(text, true, signal))
  if (replay.error) return problemsFrom(replay.error.details).length > 0 ? <p>The draft has problems, so requests cannot be replayed with it.</p> : <ErrorBox error={replay.error} onRetry={replay.retry} />
  return replay.data ? <ReplayReport of={replay.data} /> : <><p class="soft">Replaying recorded requests. You can publish without waiting for it.</p><Skeleton rows={2} /></>
}

/** Sends a call when the component mounts. It ends the call when the component unmounts. */
function useCall<T>(call: (signal: AbortSignal) => Promise<T>): { data: T | undefined; error: ApiError | undefined; retry: () => void } {
  const [state, setState] = useState<{ data?: T; error?: ApiError }>({})
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    setState({})
    call(abort.signal).then((data) => setState({ data }), (error) => { if (!abort.signal.aborted) setState({ error }) })
    return () => abort.abort()
  }, [turn])
  return { data: state.data, error: state.error, retry: () => setTurn(turn + 1) }
}
