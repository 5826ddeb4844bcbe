import { useState } from 'preact/hooks'
import { ApiError, callApi, invalidate, useApi } from '../../api'
import { boot } from '../../boot'
import { Time } from '../../components/basics'
import { Await, ErrorBox } from '../../components/states'
import { formatBytes, formatCount, pluralize } from '../../format'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { spoolMeaning } from './producers'
import type { DeadLetter } from './types'

/** Records that could not be decoded. They are stored as received and can be retried. */
export function DeadLetters() {
  const letters = useApi<Items<DeadLetter>>('/dead-letters')
  return (
    <section class="stack" aria-labelledby="letters">
      <h2 id="letters">Dead letters</h2>
      <Await of={letters} rows={2}>
        {({ items }) => items.length === 0 ? <p class="soft">No dead letters: every received record could be decoded.</p> : (
          <>
            <RetryAll />
            <DeadLetterTable all={items} />
          </>
        )}
      </Await>
    </section>
  )
}

function RetryAll() {
  const [error, setError] = useState<ApiError>()
  const [busy, setBusy] = useState(false)
  const replay = async () => {
    setBusy(true)
    try {
      const result = await callApi<{ done: number; left: number }>('POST', '/dead-letters/replay', { all: true })
      setError(undefined)
      showToast(`${pluralize(result.done, 'dead letter')} stored as ${result.done === 1 ? 'a record' : 'records'}, ${formatCount(result.left)} left.`)
      invalidate('/dead-letters', '/completeness')
    } catch (e) {
      setError(e as ApiError)
    }
    setBusy(false)
  }
  if (boot.user.role !== 'owner') return <p class="soft">Only owners of the operator account can retry dead letters.</p>
  return (
    <>
      <div class="line">
        <button type="button" class="button" disabled={busy} onClick={replay}>{busy ? 'Retrying…' : 'Retry all'}</button>
        <span class="meta">Records that still cannot be decoded stay here. Records written by a newer version of Signalbox are retried automatically after an upgrade.</span>
      </div>
      {error ? <ErrorBox error={error} /> : null}
    </>
  )
}

function DeadLetterTable({ all }: { all: DeadLetter[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Dead letters, newest first">
      <table class="table">
        <thead><tr><th scope="col">Received</th><th scope="col">Reason</th><th scope="col" title={spoolMeaning}>Proxy spool</th><th scope="col" class="num">Sequence number</th><th scope="col" class="num">Size</th></tr></thead>
        <tbody>
          {all.map((l) => (
            <tr key={`${l.producer} ${l.seq}`}>
              <td><Time at={l.received_at} as="moment" /></td>
              <td>{l.reason}{l.parked ? <span class="soft"> · needs a newer version of Signalbox</span> : null}</td>
              <td class="mono">{l.producer}</td>
              <td class="num">{formatCount(l.seq)}</td>
              <td class="num">{formatBytes(l.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
