// The document that decides: what is in force, a text that may follow it, and
// every version before.
import { useApi } from '../../api'
import { copy, Time } from '../../components/bits'
import { Await } from '../../components/states'
import { visible } from '../../format'
import { Problems } from './problems'
import { by, short, type PolicyState } from './shapes'
import { Versions } from './versions'
import { Work } from './work'

export function Policy() {
  const policy = useApi<PolicyState>('/policy')
  return (
    <Await of={policy} rows={12}>
      {(p) => (
        <>
          <InForce of={p} />
          <Work of={p} />
          <Versions readOnly={p.read_only} />
        </>
      )}
    </Await>
  )
}

function InForce({ of: { version: v, ...p } }: { of: PolicyState }) {
  return (
    <section class="stack inforce" aria-label="In force">
      <dl>
        <div><dt>In force</dt><dd><button type="button" class="id" title="Copy" onClick={() => void copy(v.version, 'The version')}>{short(v.version)}</button></dd></div>
        <div><dt>Since</dt><dd>{v.activated_at ? <Time at={v.activated_at} as="moment" /> : '—'}</dd></div>
        <div><dt>By</dt><dd>{visible(by(v))}</dd></div>
        {v.note ? <div><dt>Note</dt><dd>{visible(v.note)}</dd></div> : null}
      </dl>
      {p.read_only ? <p>A file rules: Signalbox was started with <code>--config</code>, so the policy is changed in that file, and can only be read here.</p> : null}
      {p.file_fault ? (
        <div class="errorbox" role="alert">
          <p>{p.file_fault}. What is shown here stays in force until it is mended.</p>
          {p.file_problems.length > 0 ? <Problems all={p.file_problems} /> : null}
        </div>
      ) : null}
    </section>
  )
}
