// The reader's own sessions and password.
import { useState } from 'preact/hooks'
import { call, changed, useApi } from '../../api'
import { boot } from '../../boot'
import { Time } from '../../components/bits'
import { Form, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { visible } from '../../format'
import { say } from '../../say'
import type { Items } from '../../types'
import { device } from './device'
import type { Session } from './types'

export function Sessions() {
  const loaded = useApi<Items<Session>>('/sessions')
  const doing = useDoing()
  const end = (to: string, what: string) => doing.run(async () => {
    await call('DELETE', to)
    changed('/sessions')
    say(what)
  })
  return (
    <Section title="Where you are signed in" about="End what you do not know, and change your password.">
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      <Await of={loaded} rows={3}>
        {(all) => (
          <>
            <ul class="rows">
              {all.items.map((s) => (
                <li key={s.id}>
                  <span class="who" title={visible(s.client)}>{visible(device(s.client))}{s.current ? <span class="soft"> (this browser)</span> : null}</span>
                  <span class="meta">since <Time at={s.created_at} as="moment" /></span>
                  <span class="meta">ends <Time at={s.expires_at} as="relative" /></span>
                  {s.current ? <span /> : <button type="button" class="button small quiet" aria-label={`End the session of ${device(s.client)}`} onClick={() => void end('/sessions/' + s.id, 'The session is ended.')}>End</button>}
                </li>
              ))}
            </ul>
            {all.items.length > 1 ? <div><button type="button" class="button" onClick={() => void end('/sessions', 'All other sessions are ended.')}>End all others</button></div> : null}
          </>
        )}
      </Await>
    </Section>
  )
}

export function Password() {
  const blank = { current: '', password: '' }
  const [d, setDraft] = useState(blank)
  const doing = useDoing()
  const send = () => void doing.run(async () => {
    await call('POST', '/password', d)
    setDraft(blank)
    changed('/sessions')
    say('The password is changed. All other sessions have ended.')
  })
  return (
    <Section title="Your password" about="A change ends all other sessions.">
      <Form onSend={send} error={doing.error} shown={['current', 'password']}>
        <input type="hidden" name="username" autocomplete="username" value={boot.user.email} />
        <TextField label="Present password" type="password" fill="current-password" value={d.current} wrong={doing.wrong('current')} onChange={(v) => setDraft({ ...d, current: v })} />
        <TextField label="New password" hint="At least 10 characters." type="password" fill="new-password" value={d.password} wrong={doing.wrong('password')} onChange={(v) => setDraft({ ...d, password: v })} />
        <div class="line"><button type="submit" class="button" disabled={doing.busy}>Change password</button></div>
      </Form>
    </Section>
  )
}
