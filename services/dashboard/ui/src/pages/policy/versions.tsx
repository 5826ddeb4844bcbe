// The versions that are or were active, newest first.
import { useState } from 'preact/hooks'
import { type Loadable, useApi } from '../../api'
import { Time } from '../../components/basics'
import { Dialog } from '../../components/controls'
import { Await, EmptyState } from '../../components/states'
import { escapeInvisible } from '../../format'
import { hasRole } from '../../role'
import { params, setParams, withParams } from '../../router'
import type { Items } from '../../types'
import { CompareDialog, findComparison } from './compare'
import { RollbackDialog } from './publish'
import { authorName, type PolicyState, shortVersion, type Version } from './types'

type Action = 'view' | 'compare' | 'rollback'

export const useVersions = (): Loadable<Items<Version>> => useApi<Items<Version>>('/policy/versions?limit=50')

/** Opens the changes of the active version: it is compared with the version before it. */
export const WhatChanged = ({ of: v }: { of: Version }) => <a href={withParams({ compare: v.version })}>What changed</a>

export function Versions({ readOnly }: { readOnly: boolean }) {
  const versions = useVersions()
  const [open, setOpen] = useState<{ act: Action; of: Version } | null>(null)
  const close = () => setOpen(null)
  const compared = params.value.get('compare')
  return (
    <section class="stack" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Await of={versions} rows={3}>
        {({ items }) => items.length === 0 ? <EmptyState title="No versions yet"><p>Published versions appear here.</p></EmptyState> : (
          <VersionTable all={items} acts={readOnly || !hasRole('owner') ? ['view', 'compare'] : ['view', 'compare', 'rollback']} onAct={(act, of) => (act === 'compare' ? setParams({ compare: of.version }) : setOpen({ act, of }))} />
        )}
      </Await>
      {open?.act === 'view' ? <VersionDialog at={open.of} onClose={close} /> : null}
      {compared && versions.data ? <CompareDialog from={findComparison(versions.data.items, compared)} onClose={() => setParams({ compare: null }, 'replace')} /> : null}
      {open?.act === 'rollback' ? <RollbackDialog to={open.of} onClose={close} /> : null}
    </section>
  )
}

const actionNames: Record<Action, string> = { view: 'View', compare: 'Compare', rollback: 'Roll back' }

function VersionTable({ all, acts, onAct }: { all: Version[]; acts: Action[]; onAct: (act: Action, of: Version) => void }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Versions, newest first">
      <table class="table versions">
        <thead><tr><th scope="col">Version</th><th scope="col">Activated</th><th scope="col">By</th><th scope="col">Note</th><th scope="col"><span class="sr">Actions</span></th></tr></thead>
        <tbody>
          {all.map((v) => (
            <tr key={v.version}>
              <td class="mono">{shortVersion(v.version)}</td>
              <td>{v.activated_at ? <Time at={v.activated_at} as="moment" /> : '—'}</td>
              <td>{escapeInvisible(authorName(v))}</td>
              <td class="why">{escapeInvisible(v.note)}</td>
              <td>
                <span class="acts">
                  {v.active ? <span class="chip plain">Active</span> : null}
                  {v.active && all.length > 1 ? <WhatChanged of={v} /> : null}
                  {acts.filter((a) => a === 'view' || !v.active).map((a) => (
                    <button key={a} type="button" class="button small" aria-label={`${actionNames[a]}: ${shortVersion(v.version)}`} onClick={() => onAct(a, v)}>{actionNames[a]}</button>
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

function VersionDialog({ at: v, onClose }: { at: Version; onClose: () => void }) {
  const whole = useApi<PolicyState>('/policy?version=' + encodeURIComponent(v.version))
  return (
    <Dialog open title={`Version ${shortVersion(v.version)}`} onClose={onClose}>
      <div class="stack">
        <Await of={whole}>{(p) => <pre class="unified">{escapeInvisible(p.version.document)}</pre>}</Await>
        <div class="line end"><button type="button" class="button" onClick={onClose}>Close</button></div>
      </div>
    </Dialog>
  )
}
