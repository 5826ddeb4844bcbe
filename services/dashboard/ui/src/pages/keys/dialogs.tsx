// What is asked before a key is made, replaced or ended.
import { useState } from 'preact/hooks'
import { call, changed } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, TextField } from '../../components/fields'
import { useDoing } from '../../doing'
import { relative, visible } from '../../format'
import { say } from '../../say'
import { blank, body, mistake } from './draft'
import { inUse, type Key } from './key'
import { KeyForm } from './keyform'
import { reveal } from './reveal'

export function NewKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(blank)
  const doing = useDoing()
  const send = async () => {
    const bad = mistake(draft)
    if (bad) return doing.refuse(bad.param, bad.message)
    const made = await doing.run(async () => show(await call<Key>('POST', '/keys', body(draft))))
    if (!made) return
    setDraft(blank)
    onClose()
  }
  return (
    <Dialog open={open} title="New key" onClose={onClose}>
      <KeyForm draft={draft} onDraft={setDraft} doing={doing} onSend={send} button="Make the key" onCancel={onClose} />
    </Dialog>
  )
}

function show(k: Key): void {
  reveal(k)
  changed('/keys')
  changed('/limits')
  say(`The key ${visible(k.name)} is made.`)
}

const overlaps = [[0, 'Not at all: it ends now'], [3600, 'For an hour'], [86_400, 'For 24 hours'], [604_800, 'For 7 days']] as const

/** Makes a successor; the old one works on for a while. */
export function Rotate({ of: k, onClose }: { of: Key; onClose: () => void }) {
  const [overlap, setOverlap] = useState(86_400)
  const doing = useDoing()
  const send = async () => {
    const made = await doing.run(async () => show(await call<Key>('POST', `/keys/${k.id}/rotate`, { overlap_seconds: overlap })))
    if (made) onClose()
  }
  return (
    <Dialog open title={`Rotate ${visible(k.name)}`} onClose={onClose}>
      <Form onSend={send} error={doing.error} shown={[]}>
        <p>A new key with the same settings is made. Put it in place while both work, then let the old one end.</p>
        <fieldset>
          <legend>How long does the old one work on?</legend>
          {overlaps.map(([seconds, name]) => (
            <label class="check" key={seconds}>
              <input type="radio" name="overlap" value={seconds} checked={overlap === seconds} onChange={() => setOverlap(seconds)} /> {name}
            </label>
          ))}
        </fieldset>
        <Used k={k} />
        <div class="line end">
          <button type="button" class="button" onClick={onClose}>Keep it</button>
          <button type="submit" class="button main" disabled={doing.busy}>Rotate</button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Ends a key for good; one that is in use only after its name was typed. */
export function Revoke({ of: k, onClose }: { of: Key; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const doing = useDoing()
  const careful = inUse(k)
  const send = async () => {
    if (careful && typed.trim() !== visible(k.name)) return doing.refuse('typed', 'this is not the name of the key')
    const done = await doing.run(async () => {
      await call('DELETE', `/keys/${k.id}`)
      changed('/keys')
      say(`The key ${visible(k.name)} is revoked.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Revoke ${visible(k.name)}`} onClose={onClose}>
      <Form onSend={send} error={doing.error} shown={['typed']}>
        <p>Whatever still uses <code>{k.prefix}…</code> is refused within a second. This cannot be undone.</p>
        <Used k={k} />
        {careful ? <TextField label={`Type ${visible(k.name)} to go on`} value={typed} wrong={doing.wrong('typed')} onChange={setTyped} /> : null}
        <div class="line end">
          <button type="button" class="button" onClick={onClose}>Keep it</button>
          <button type="submit" class="button danger" disabled={doing.busy}>Revoke</button>
        </div>
      </Form>
    </Dialog>
  )
}

function Used({ k }: { k: Key }) {
  const from = k.last_used_from ? ` from ${k.last_used_from}` : ''
  return <p class="meta">{k.last_used_at ? `It was last used ${relative(k.last_used_at)}${from}.` : 'It was never used.'}</p>
}
