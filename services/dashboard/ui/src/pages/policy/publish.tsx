// The dialogs that publish a draft or roll back to an older version.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type ApiError, callApi, invalidate, refresh } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, TextField } from '../../components/fields'
import { type Mutation, useMutation } from '../../mutation'
import { showToast } from '../../toast'
import type { Position } from './codeeditor'
import type { Draft } from './draft'
import { Preview } from './preview'
import { Problems } from './problems'
import { problemsFrom, shortVersion, type Version } from './types'

/** Publishes a draft at once, or starts its rollout in steps. */
export function PublishDialog({ draft, inSteps, onDone, onClose, onGo }: { draft: Draft; inSteps: boolean; onDone: () => void; onClose: () => void; onGo: (at: Position) => void }) {
  const [note, setNote] = useState('')
  const mutation = useMutation()
  const send = async () => {
    const done = await mutation.run(async () => {
      const change = { document: draft.text, expected_version: draft.baseVersion, note }
      if (inSteps) {
        await callApi('POST', '/rollouts', change)
        showToast('Rollout started at 1 %.')
      } else {
        const v = await callApi<Version>('POST', '/policy/publish', change)
        showToast(`Version ${shortVersion(v.version)} published.`)
      }
    })
    // Reload the policy even after a rejection, because another user may have published in the meantime.
    await refresh('/policy')
    invalidate('/policy/versions', '/rollouts')
    if (done) onDone()
  }
  return (
    <Dialog open title={inSteps ? 'Roll out in steps' : 'Publish policy'} onClose={onClose}>
      <ConfirmForm description={inSteps ? rolloutDescription : 'All proxies use the new version within seconds. A rollout that is open ends.'} mutation={mutation} note={note} onNote={setNote} button={inSteps ? 'Start rollout' : 'Publish'} onSubmit={send} onClose={onClose}>
        {explainRejection(mutation.error, onGo)}
        <Preview text={draft.text} onGo={onGo} />
      </ConfirmForm>
    </Dialog>
  )
}

const rolloutDescription = 'The new version serves 1 % of the sessions, then 10 %, 50 % and all of them. Each step takes at least ten minutes and 100 requests. If errors, latency, cost or quality get worse than the limits allow, Signalbox rolls back by itself.'

function explainRejection(error: ApiError | undefined, onGo: (at: Position) => void) {
  const problems = problemsFrom(error?.details)
  if (problems.length > 0) return <Problems all={problems} onGo={onGo} />
  if (error?.code === 'POLICY_CONFLICT') return <p>Your draft is not lost. Cancel, review what has changed, and then publish again if you still want to.</p>
  return null
}

export function RollbackDialog({ to: v, onClose }: { to: Version; onClose: () => void }) {
  const [note, setNote] = useState('')
  const mutation = useMutation()
  const send = async () => {
    const done = await mutation.run(async () => {
      const now = await callApi<Version>('POST', '/policy/rollback', { version: v.version, note })
      invalidate('/policy')
      showToast(`Rolled back to version ${shortVersion(now.version)}.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Roll back to ${shortVersion(v.version)}`} onClose={onClose}>
      <ConfirmForm description="This version becomes active again, unchanged. The current version stays in the list." mutation={mutation} note={note} onNote={setNote} button="Roll back" onSubmit={send} onClose={onClose} />
    </Dialog>
  )
}

function ConfirmForm(p: { description: string; mutation: Mutation; note: string; onNote: (note: string) => void; button: string; onSubmit: () => void; onClose: () => void; children?: ComponentChildren }) {
  return (
    <Form onSubmit={p.onSubmit} error={p.mutation.error} fieldParams={['note']}>
      {p.children}
      <p>{p.description}</p>
      <TextField label="Note" hint="Optional. The reason for the change. It is shown in the version list." value={p.note} error={p.mutation.fieldError('note')} onChange={p.onNote} />
      <FormButtons submit={p.button} busy={p.mutation.busy} onCancel={p.onClose} />
    </Form>
  )
}
