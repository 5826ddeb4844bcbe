// Whether everything runs, and whether every record is stored.
import { useApi } from '../../api'
import { Await } from '../../components/states'
import { count, plural } from '../../format'
import { useEvery } from '../../every'
import { Letters } from './letters'
import { Parts } from './parts'
import { Producers } from './producers'
import type { Completeness, Meter, SystemState } from './shapes'

export function System() {
  const system = useApi<SystemState>('/system')
  const meter = useApi<Completeness>('/completeness')
  useEvery(() => {
    system.again()
    meter.again()
  })
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>System</h1></div>
      <Await of={system} rows={8}>{(s) => <Parts of={s} />}</Await>
      <section class="stack" aria-labelledby="completeness">
        <h2 id="completeness">Completeness</h2>
        <Await of={meter}>
          {(m) => (
            <>
              <p class="headline">
                <b>{count(m.stored)}</b> of {plural(m.sent, 'record')} {m.sent === 1 ? 'is' : 'are'} stored{m.missing + m.lost === 0 ? '; none is missing.' : <>; <b class="lost">{count(m.missing + m.lost)}</b> {m.missing + m.lost === 1 ? 'is' : 'are'} missing.</>}
              </p>
              <Scale of={m} />
              <Producers all={m.producers} />
            </>
          )}
        </Await>
      </section>
      <Letters />
    </>
  )
}

const kinds = [
  ['stored', 'Stored', 'Safe in the ledger, dead letters included.'],
  ['in_flight', 'On the way', 'A living proxy has them, and sends them until they are stored.'],
  ['missing', 'Missing', 'Not stored, and nobody is known to have them. They may still come from the spool of a proxy that is away.'],
  ['lost', 'Lost', 'Damaged on a proxy’s disk before they were stored.'],
] as const

/** What became of every number that was given to a record. */
function Scale({ of: m }: { of: Meter }) {
  return (
    <div class="stack scale">
      <div class="track" aria-hidden="true">
        {kinds.map(([k]) => (m[k] > 0 ? <span key={k} class={k} ref={(el) => { if (el) el.style.flexGrow = String(m[k]) }} /> : null))}
      </div>
      <dl>
        {kinds.map(([k, name, means]) => (
          <div key={k}><dt><i class={k} aria-hidden="true" />{name}</dt><dd class={m[k] > 0 && (k === 'missing' || k === 'lost') ? 'lost' : ''} title={means}>{count(m[k])}</dd></div>
        ))}
      </dl>
    </div>
  )
}
