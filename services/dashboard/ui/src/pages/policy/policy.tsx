// The routing policy: the active version, the editor, and earlier versions.
import { useApi } from '../../api'
import { copyToClipboard, Time } from '../../components/basics'
import { Await } from '../../components/states'
import { capitalizeSentence, escapeInvisible } from '../../format'
import { Problems } from './problems'
import { RuleFromRequest } from './ruleform'
import { Rules } from './rulelist'
import { Rollouts } from './rollouts'
import { describeChange, type PolicyState, shortVersion } from './types'
import { useVersions, Versions, WhatChanged } from './versions'
import { useWork } from './work'
import { Workbench } from './workbench'

export function Policy() {
  const policy = useApi<PolicyState>('/policy')
  useApi('/rollouts') // The parts below need it. It loads while the policy loads.
  return (
    <Await of={policy} rows={12}>
      {(p) => <PolicyParts of={p} />}
    </Await>
  )
}

function PolicyParts({ of: p }: { of: PolicyState }) {
  const work = useWork(p)
  return (
    <>
      <ActiveVersion of={p} />
      <Rollouts />
      <Rules work={work} document={p.version.document} />
      <Workbench of={p} work={work} />
      <Versions readOnly={p.read_only} />
      <RuleFromRequest work={work} />
    </>
  )
}

/** What it means that a file controls the policy, and how to change it then. */
function FileControl() {
  return (
    <div class="about">
      <p><b>A file controls this policy, so it is read-only here.</b> Signalbox was started with <code>--config</code> and takes the policy from that file. This page shows the active version, its rules and their figures, and explains decisions. It cannot publish or roll back.</p>
      <p>To change the policy, edit the file, run <code>signalbox policy test FILE</code>, and save it in its place. Signalbox reads it about a second later. If the new content has problems, the last valid version stays active and the problems appear here. To edit the policy on this page, restart Signalbox without <code>--config</code>. <a href="/docs/policy#versions-and-files">More about policy files</a></p>
    </div>
  )
}

function ActiveVersion({ of: { version: v, ...p } }: { of: PolicyState }) {
  const hasOlder = (useVersions().data?.items.length ?? 0) > 1
  return (
    <section class="stack inforce" aria-label="Active version">
      {v.activated_at ? <p class="headline">{escapeInvisible(describeChange(v))} <Time at={v.activated_at} as="relative" />.{hasOlder ? <> <WhatChanged of={v} /></> : null}</p> : null}
      <dl>
        <div><dt>Active version</dt><dd><button type="button" class="id" title="Copy" onClick={() => void copyToClipboard(v.version, 'Version')}>{shortVersion(v.version)}</button></dd></div>
        <div><dt>Since</dt><dd>{v.activated_at ? <Time at={v.activated_at} as="moment" /> : '—'}</dd></div>
        {v.note ? <div><dt>Note</dt><dd>{escapeInvisible(v.note)}</dd></div> : null}
      </dl>
      {p.read_only ? <FileControl /> : null}
      {p.file_fault ? (
        <div class="errorbox" role="alert">
          <p>{capitalizeSentence(p.file_fault)}. The version shown here stays active until the file is fixed.</p>
          {p.file_problems.length > 0 ? <Problems all={p.file_problems} /> : null}
        </div>
      ) : null}
    </section>
  )
}
