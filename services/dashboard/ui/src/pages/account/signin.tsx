// The signed-in user's own sign-ins and password.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { boot } from '../../boot'
import { Time } from '../../components/basics'
import { Form, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { describeClient } from './device'
import type { SignIn } from './types'

export function SignIns() {
  const loaded = useApi<Items<SignIn>>('/sign-ins')
  const mutation = useMutation()
  const endSignIns = (to: string, what: string) => mutation.run(async () => {
    await callApi('DELETE', to)
    invalidate('/sign-ins')
    showToast(what)
  })
  return (
    <Section title="Sign-ins" docs="/docs/security#passwords-and-sessions" description="The browsers that are signed in as you. If you do not recognize one, end it and change your password.">
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <Await of={loaded} rows={3}>
        {(all) => (
          <>
            <ul class="rows">
              {all.items.map((s) => (
                <li key={s.id}>
                  <span class="who" title={escapeInvisible(s.client)}>{escapeInvisible(describeClient(s.client))}{s.current ? <span class="soft"> (this browser)</span> : null}</span>
                  <span class="meta">signed in <Time at={s.created_at} as="moment" /></span>
                  <span class="meta">expires <Time at={s.expires_at} as="relative" /></span>
                  {s.current ? <span /> : <button type="button" class="button small quiet" aria-label={`End the sign-in of ${describeClient(s.client)}`} onClick={() => void endSignIns('/sign-ins/' + s.id, 'Sign-in ended.')}>End</button>}
                </li>
              ))}
            </ul>
            {all.items.length > 1 ? <div><button type="button" class="button" onClick={() => void endSignIns('/sign-ins', 'All other sign-ins ended.')}>End all other sign-ins</button></div> : null}
          </>
        )}
      </Await>
    </Section>
  )
}

export function Password() {
  const blank = { current: '', password: '' }
  const [d, setDraft] = useState(blank)
  const mutation = useMutation()
  const send = () => void mutation.run(async () => {
    await callApi('POST', '/password', d)
    setDraft(blank)
    invalidate('/sign-ins')
    showToast('Password changed. All other sign-ins ended.')
  })
  return (
    <Section title="Password" description="Changing your password ends all other sessions and revokes your API tokens.">
      <Form onSubmit={send} error={mutation.error} fieldParams={['current', 'password']}>
        <input type="hidden" name="username" autocomplete="username" value={boot.user.email} />
        <TextField label="Current password" type="password" autocomplete="current-password" value={d.current} error={mutation.fieldError('current')} onChange={(v) => setDraft({ ...d, current: v })} />
        <TextField label="New password" hint="Use at least 10 characters." type="password" autocomplete="new-password" value={d.password} error={mutation.fieldError('password')} onChange={(v) => setDraft({ ...d, password: v })} />
        <div class="line"><button type="submit" class="button" disabled={mutation.busy}>Change password</button></div>
      </Form>
    </Section>
  )
}
