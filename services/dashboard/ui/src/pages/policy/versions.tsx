// Every version that was ever in force.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { Time } from '../../components/bits'
import { Dialog } from '../../components/controls'
import { Await, Empty } from '../../components/states'
import { visible } from '../../format'
import { may } from '../../role'
import type { Items } from '../../types'
import { Compare } from './compare'
import { Rollback } from './publish'
import { by, short, type PolicyState, type Version } from './shapes'

type Act = 'look' | 'compare' | 'rollback'

export function Versions({ readOnly }: { readOnly: boolean }) {
  const versions = useApi<Items<Version>>('/policy/versions?limit=50')
  const [open, setOpen] = useState<{ act: Act; of: Version } | null>(null)
  const close = () => setOpen(null)
  return (
    <section class="stack" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Await of={versions} rows={3}>
        {({ items }) => items.length === 0 ? <Empty title="No version yet"><p>The first that is published stands here.</p></Empty> : (
          <Listed all={items} acts={readOnly || !may('owner') ? ['look', 'compare'] : ['look', 'compare', 'rollback']} onAct={(act, of) => setOpen({ act, of })} />
        )}
      </Await>
      {open?.act === 'look' ? <Look at={open.of} onClose={close} /> : null}
      {open?.act === 'compare' ? <Compare from={open.of.version} onClose={close} /> : null}
      {open?.act === 'rollback' ? <Rollback to={open.of} onClose={close} /> : null}
    </section>
  )
}

const names: Record<Act, string> = { look: 'Look', compare: 'Compare', rollback: 'Roll back' }

function Listed({ all, acts, onAct }: { all: Version[]; acts: Act[]; onAct: (act: Act, of: Version) => void }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Versions, newest first">
      <table class="table versions">
        <thead><tr><th scope="col">Version</th><th scope="col">Put in force</th><th scope="col">By</th><th scope="col">Note</th><th scope="col"><span class="sr">What to do with it</span></th></tr></thead>
        <tbody>
          {all.map((v) => (
            <tr key={v.version}>
              <td class="mono">{short(v.version)}</td>
              <td>{v.activated_at ? <Time at={v.activated_at} as="moment" /> : '—'}</td>
              <td>{visible(by(v))}</td>
              <td class="why">{visible(v.note)}</td>
              <td>
                <span class="acts">
                  {v.active ? <span class="chip plain">in force</span> : null}
                  {acts.filter((a) => a === 'look' || !v.active).map((a) => (
                    <button key={a} type="button" class="button small" aria-label={`${names[a]}: ${short(v.version)}`} onClick={() => onAct(a, v)}>{names[a]}</button>
                  ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Look({ at: v, onClose }: { at: Version; onClose: () => void }) {
  const whole = useApi<PolicyState>('/policy?version=' + encodeURIComponent(v.version))
  return (
    <Dialog open title={`Version ${short(v.version)}`} onClose={onClose}>
      <div class="stack">
        <Await of={whole}>{(p) => <pre class="unified">{visible(p.version.document)}</pre>}</Await>
        <div class="line end"><button type="button" class="button" onClick={onClose}>Close</button></div>
      </div>
    </Dialog>
  )
}
