// Drains and resumes providers and models.
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { Time } from '../../components/basics'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, TextField } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { hasRole } from '../../role'
import { showToast } from '../../toast'
import { type Drain, type DrainTarget, findDrain, targetName } from './drain'

/** The button that drains a target, or resumes it. Only owners of the operator account can do that. */
export function DrainButton({ of: target, drains }: { of: DrainTarget; drains: Drain[] }) {
  const [open, setOpen] = useState(false)
  if (!hasRole('owner')) return null
  const drained = findDrain(drains, target)
  const action = drained ? 'Resume' : 'Drain'
  return (
    <>
      <button type="button" class="button small" aria-label={`${action} ${targetName(target)}`} onClick={() => setOpen(true)}>{action}</button>
      {open ? <DrainDialog of={target} drained={drained !== undefined} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function DrainDialog({ of: target, drained, onClose }: { of: DrainTarget; drained: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const mutation = useMutation()
  const name = escapeInvisible(targetName(target))
  const send = async () => {
    if (!drained && !reason.trim()) return mutation.rejectField('reason', 'Give a reason. Other operators and the audit log show it.')
    const done = await mutation.run(async () => {
      await callApi('POST', drained ? '/providers/resume' : '/providers/drain', { provider: target.provider ?? '', model: target.model ?? '', reason: reason.trim() })
      invalidate('/providers', '/audit')
      showToast(drained ? `${name} resumed.` : `${name} drained.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`${drained ? 'Resume' : 'Drain'} ${name}`} onClose={onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={['reason']}>
        <p>{drained ? 'All proxies send new requests there again within seconds.' : 'All proxies stop sending new requests there within seconds. Requests in progress continue. Routes use their other candidates. A request that names a model fails if no other provider serves it.'}</p>
        <TextField label={drained ? 'Reason (optional)' : 'Reason'} value={reason} error={mutation.fieldError('reason')} onChange={setReason} />
        <FormButtons submit={drained ? 'Resume' : 'Drain'} kind={drained ? 'main' : 'danger'} busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** Everything that is drained, with its reason. */
export function DrainList({ drains }: { drains: Drain[] }) {
  if (drains.length === 0) return null
  return (
    <section class="stack" aria-labelledby="drained">
      <h2 id="drained">Drained</h2>
      <ul class="rows drains">
        {drains.map((d) => (
          <li key={`${d.provider} ${d.model}`}>
            <span class="who">{escapeInvisible(targetName(d))}</span>
            <span>{escapeInvisible(d.reason)}</span>
            <span class="meta">{d.author ? `${escapeInvisible(d.author)}, ` : ''}{d.since ? <Time at={d.since} as="relative" /> : null}</span>
            <DrainButton of={d} drains={drains} />
          </li>
        ))}
      </ul>
    </section>
  )
}
