// The dialogs that create, rotate and revoke a key.
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, TextField } from '../../components/fields'
import { escapeInvisible, formatRelative } from '../../format'
import { findLimitError } from '../../limits'
import { useMutation } from '../../mutation'
import { showToast } from '../../toast'
import { emptyDraft, toRequestBody } from './draft'
import { isInUse, type Key } from './key'
import { KeyForm } from './keyform'
import { revealKey } from './reveal'

export function NewKeyDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft)
  const mutation = useMutation()
  const send = async () => {
    const bad = findLimitError(draft)
    if (bad) return mutation.rejectField(bad.param, bad.message)
    const made = await mutation.run(async () => revealCreated(await callApi<Key>('POST', '/keys', toRequestBody(draft))))
    if (!made) return
    setDraft(emptyDraft)
    onClose()
  }
  return (
    <Dialog open={open} title="Create key" onClose={onClose}>
      <KeyForm draft={draft} onDraft={setDraft} mutation={mutation} onSubmit={send} button="Create key" onCancel={onClose} />
    </Dialog>
  )
}

function revealCreated(k: Key): void {
  revealKey(k)
  invalidate('/keys', '/limits')
  showToast('Key created.')
}

const overlaps = [[0, 'Expires now'], [3600, 'Expires in 1 hour'], [86_400, 'Expires in 24 hours'], [604_800, 'Expires in 7 days']] as const

/** Creates a new key with the same settings. The old key stays valid for the chosen time. */
export function RotateDialog({ of: k, onClose }: { of: Key; onClose: () => void }) {
  const [overlap, setOverlap] = useState(86_400)
  const mutation = useMutation()
  const send = async () => {
    const made = await mutation.run(async () => revealCreated(await callApi<Key>('POST', `/keys/${k.id}/rotate`, { overlap_seconds: overlap })))
    if (made) onClose()
  }
  return (
    <Dialog open title={`Rotate ${escapeInvisible(k.name)}`} onClose={onClose}>
      <Form onSubmit={send} error={mutation.error} fieldParams={[]}>
        <p>This creates a new key with the same settings. Choose when the old key expires. Until then both keys work, so that you can switch your clients.</p>
        <fieldset>
          <legend>Old key</legend>
          {overlaps.map(([seconds, name]) => (
            <label class="check" key={seconds}>
              <input type="radio" name="overlap" value={seconds} checked={overlap === seconds} onChange={() => setOverlap(seconds)} /> {name}
            </label>
          ))}
        </fieldset>
        <LastUse k={k} />
        <FormButtons submit="Rotate" busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** Revokes a key permanently. To revoke a key that is in use, the user must type its name. */
export function RevokeDialog({ of: k, onClose }: { of: Key; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const mutation = useMutation()
  const mustConfirm = isInUse(k)
  const send = async () => {
    if (mustConfirm && typed.trim() !== escapeInvisible(k.name)) return mutation.rejectField('typed', 'This is not the name of the key.')
    const done = await mutation.run(async () => {
      await callApi('DELETE', `/keys/${k.id}`)
      invalidate('/keys')
      showToast(`Key ${escapeInvisible(k.name)} revoked.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Revoke ${escapeInvisible(k.name)}`} onClose={onClose}>
      <Form onSubmit={send} error={mutation.error} fieldParams={['typed']}>
        <p>Within a second, all requests with <code>{k.prefix}…</code> will be rejected. You cannot undo this.</p>
        <LastUse k={k} />
        {mustConfirm ? <TextField label={`Type ${escapeInvisible(k.name)} to confirm`} value={typed} error={mutation.fieldError('typed')} onChange={setTyped} /> : null}
        <FormButtons submit="Revoke" kind="danger" busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function LastUse({ k }: { k: Key }) {
  const from = k.last_used_from ? ` from ${k.last_used_from}` : ''
  return <p class="meta">{k.last_used_at ? `Last used ${formatRelative(k.last_used_at)}${from}.` : 'Never used.'}</p>
}
