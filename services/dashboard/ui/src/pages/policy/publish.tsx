// What is asked before a text, or an older version, is put in force.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call, changed, refresh, type ApiError } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, TextField } from '../../components/fields'
import { useDoing, type Doing } from '../../doing'
import { say } from '../../say'
import type { Draft } from './draft'
import { Problems } from './problems'
import { problemsOf, short, type Problem, type Version } from './shapes'

export function Publish({ draft, onDone, onClose, onGo }: { draft: Draft; onDone: () => void; onClose: () => void; onGo: (at: Problem) => void }) {
  const [note, setNote] = useState('')
  const doing = useDoing()
  const send = async () => {
    const done = await doing.run(async () => {
      const v = await call<Version>('POST', '/policy/publish', { document: draft.text, expected_version: draft.over, note })
      say(`Version ${short(v.version)} is in force.`)
    })
    // Also when it was refused: somebody else may have been faster.
    await refresh('/policy')
    changed('/policy/versions')
    if (done) onDone()
  }
  return (
    <Dialog open title="Publish the policy" onClose={onClose}>
      <Sure about="Every proxy decides by it within moments." doing={doing} note={note} onNote={setNote} button="Publish" onSend={send} onClose={onClose}>
        {refusal(doing.error, onGo)}
      </Sure>
    </Dialog>
  )
}

function refusal(error: ApiError | undefined, onGo: (at: Problem) => void) {
  const problems = problemsOf(error?.details)
  if (problems.length > 0) return <Problems all={problems} onGo={onGo} />
  if (error?.code === 'POLICY_CONFLICT') return <p>Your text is kept. Close this, look at what has changed, and publish over it if you still want to.</p>
  return null
}

export function Rollback({ to: v, onClose }: { to: Version; onClose: () => void }) {
  const [note, setNote] = useState('')
  const doing = useDoing()
  const send = async () => {
    const done = await doing.run(async () => {
      const now = await call<Version>('POST', '/policy/rollback', { version: v.version, note })
      changed('/policy')
      say(`Version ${short(now.version)} is in force again.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Roll back to ${short(v.version)}`} onClose={onClose}>
      <Sure about="It is put in force again as it was. What is in force now stays among the versions." doing={doing} note={note} onNote={setNote} button="Roll back" onSend={send} onClose={onClose} />
    </Dialog>
  )
}

function Sure(p: { about: string; doing: Doing; note: string; onNote: (note: string) => void; button: string; onSend: () => void; onClose: () => void; children?: ComponentChildren }) {
  return (
    <Form onSend={p.onSend} error={p.doing.error} shown={['note']}>
      {p.children}
      <p>{p.about}</p>
      <TextField label="Note" hint="Why, for those who read the versions later. It may be empty." value={p.note} wrong={p.doing.wrong('note')} onChange={p.onNote} />
      <div class="line end">
        <button type="button" class="button" onClick={p.onClose}>Not now</button>
        <button type="submit" class="button main" disabled={p.doing.busy}>{p.button}</button>
      </div>
    </Form>
  )
}
