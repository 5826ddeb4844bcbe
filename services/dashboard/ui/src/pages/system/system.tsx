// The health of the installation, and whether every record is stored.
import { useApi } from '../../api'
import { Await } from '../../components/states'
import { formatCount, pluralize } from '../../format'
import { usePolling } from '../../polling'
import { SystemComponents } from './components'
import { DeadLetters } from './deadletters'
import { Producers } from './producers'
import type { Completeness, RecordCounts, SystemState } from './types'

export function System() {
  const system = useApi<SystemState>('/system')
  const completeness = useApi<Completeness>('/completeness')
  usePolling(() => {
    system.reload()
    completeness.reload()
  })
  return (
    <>
      <Await of={system} rows={8}>{(s) => <SystemComponents of={s} />}</Await>
      <section class="stack" aria-labelledby="completeness">
        <h2 id="completeness">Record completeness</h2>
        <Await of={completeness}>
          {(m) => (
            <>
              <p class="headline">
                <b>{formatCount(m.stored)}</b> of {pluralize(m.sent, 'record')} {m.sent === 1 ? 'is' : 'are'} stored{m.in_flight > 0 ? `, ${formatCount(m.in_flight)} ${m.in_flight === 1 ? 'is' : 'are'} in flight` : ''}{m.missing + m.lost === 0 ? '; none is missing or lost.' : <>; <b class="lost">{describeUnstored(m)}</b>.</>}
              </p>
              <CompletenessScale of={m} />
              <Producers all={m.producers} />
            </>
          )}
        </Await>
      </section>
      <DeadLetters />
    </>
  )
}

const describeUnstored = (m: RecordCounts): string =>
  ([[m.missing, 'missing'], [m.lost, 'lost']] as const).filter(([n]) => n > 0).map(([n, state]) => `${formatCount(n)} ${n === 1 ? 'is' : 'are'} ${state}`).join(' and ')

const kinds = [
  ['stored', 'Stored', 'Records in the ledger, including dead letters.'],
  ['in_flight', 'In flight', 'Records that a running proxy still holds. It sends them again until they are stored.'],
  ['missing', 'Missing', 'Records that are not stored and that no running proxy holds. They may still arrive from the spool of a stopped proxy.'],
  ['lost', 'Lost', 'Records that were damaged or removed on a proxy’s disk before they were stored.'],
] as const

/** How many records are in each state, as a bar and as numbers. */
function CompletenessScale({ of: m }: { of: RecordCounts }) {
  return (
    <div class="stack scale">
      <div class="track" aria-hidden="true">
        {kinds.map(([k]) => (m[k] > 0 ? <span key={k} class={k} ref={(el) => { if (el) el.style.flexGrow = String(m[k]) }} /> : null))}
      </div>
      <dl>
        {kinds.map(([k, name, means]) => (
          <div key={k}><dt><i class={k} aria-hidden="true" />{name}</dt><dd class={m[k] > 0 && (k === 'missing' || k === 'lost') ? 'lost' : ''} title={means}>{formatCount(m[k])}</dd></div>
        ))}
      </dl>
    </div>
  )
}
