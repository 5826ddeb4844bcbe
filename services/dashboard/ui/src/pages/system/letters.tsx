import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import { ApiError, call, changed, useApi } from '../../api'
import { Time } from '../../components/bits'
import { Await, ErrorBox } from '../../components/states'
import { bytes, count, plural } from '../../format'
import { say } from '../../say'
import type { Items } from '../../types'
import type { Letter } from './shapes'

/** Records that could not be read. They are kept as they came, and can be tried again. */
export function Letters() {
  const letters = useApi<Items<Letter>>('/dead-letters')
  return (
    <section class="stack" aria-labelledby="letters">
      <h2 id="letters">Dead letters</h2>
      <Await of={letters} rows={2}>
        {({ items }) => items.length === 0 ? <p class="soft">There is none: every record that came could be read.</p> : (
          <>
            <Replay />
            <Listed all={items} />
          </>
        )}
      </Await>
    </section>
  )
}

function Replay() {
  const [error, setError] = useState<ApiError>()
  const [busy, setBusy] = useState(false)
  const replay = async () => {
    setBusy(true)
    try {
      const got = await call<{ done: number; left: number }>('POST', '/dead-letters/replay', { all: true })
      setError(undefined)
      say(`${plural(got.done, 'dead letter')} became ${got.done === 1 ? 'a record' : 'records'}; ${count(got.left)} ${got.left === 1 ? 'is' : 'are'} left.`)
      changed('/dead-letters')
      changed('/completeness')
    } catch (e) {
      setError(e as ApiError)
    }
    setBusy(false)
  }
  if (boot.user.role !== 'owner') return <p class="soft">Owners of the operator’s account can try them again.</p>
  return (
    <>
      <div class="line">
        <button type="button" class="button" disabled={busy} onClick={replay}>{busy ? 'Trying…' : 'Try all again'}</button>
        <span class="meta">What cannot be read stays. Those of a newer version are tried by themselves after an upgrade.</span>
      </div>
      {error ? <ErrorBox error={error} /> : null}
    </>
  )
}

function Listed({ all }: { all: Letter[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Dead letters, newest first">
      <table class="table">
        <thead><tr><th scope="col">Came</th><th scope="col">Why</th><th scope="col">Spool</th><th scope="col" class="num">Number</th><th scope="col" class="num">Size</th></tr></thead>
        <tbody>
          {all.map((l) => (
            <tr key={`${l.producer} ${l.seq}`}>
              <td><Time at={l.received_at} as="moment" /></td>
              <td>{l.reason}{l.parked ? <span class="soft"> · waits for a newer version</span> : null}</td>
              <td class="mono">{l.producer}</td>
              <td class="num">{count(l.seq)}</td>
              <td class="num">{bytes(l.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
