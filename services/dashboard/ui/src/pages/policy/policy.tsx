// The routing policy: the active version, the editor, and earlier versions.
import { useApi } from '../../api'
import { copyToClipboard, Time } from '../../components/basics'
import { Await } from '../../components/states'
import { escapeInvisible } from '../../format'
import { Problems } from './problems'
import { Rollouts } from './rollouts'
import { authorName, type PolicyState, shortVersion } from './types'
import { Versions } from './versions'
import { Workbench } from './workbench'

export function Policy() {
  const policy = useApi<PolicyState>('/policy')
  return (
    <Await of={policy} rows={12}>
      {(p) => (
        <>
          <ActiveVersion of={p} />
          <Rollouts />
          <Workbench of={p} />
          <Versions readOnly={p.read_only} />
        </>
      )}
    </Await>
  )
}

function ActiveVersion({ of: { version: v, ...p } }: { of: PolicyState }) {
  return (
    <section class="stack inforce" aria-label="Active version">
      <dl>
        <div><dt>Active version</dt><dd><button type="button" class="id" title="Copy" onClick={() => void copyToClipboard(v.version, 'Version')}>{shortVersion(v.version)}</button></dd></div>
        <div><dt>Since</dt><dd>{v.activated_at ? <Time at={v.activated_at} as="moment" /> : '—'}</dd></div>
        <div><dt>By</dt><dd>{escapeInvisible(authorName(v))}</dd></div>
        {v.note ? <div><dt>Note</dt><dd>{escapeInvisible(v.note)}</dd></div> : null}
      </dl>
      {p.read_only ? <p>This policy is read-only here, because Signalbox was started with <code>--config</code>. To change the policy, edit that file.</p> : null}
      {p.file_fault ? (
        <div class="errorbox" role="alert">
          <p>{p.file_fault}. The version shown here stays active until the file is fixed.</p>
          {p.file_problems.length > 0 ? <Problems all={p.file_problems} /> : null}
        </div>
      ) : null}
    </section>
  )
}
