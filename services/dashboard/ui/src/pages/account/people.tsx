// The people of the account and what they may do.
import { useState } from 'preact/hooks'
import { call, changed, useApi } from '../../api'
import { boot, type Role } from '../../boot'
import { Time } from '../../components/bits'
import { Dialog } from '../../components/controls'
import { Form } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { visible } from '../../format'
import { may, whyNot } from '../../role'
import { say } from '../../say'
import type { Items } from '../../types'
import type { Person } from './types'

const roles: Role[] = ['viewer', 'member', 'owner']

export function People() {
  const loaded = useApi<Items<Person>>('/users')
  const [leaving, remove] = useState<Person | null>(null)
  const doing = useDoing()
  const give = (p: Person, role: Role) => doing.run(async () => {
    await call('PATCH', '/users/' + p.id, { role })
    changed('/users')
    changed('/audit')
    say(`${visible(p.email)} is now ${role === 'owner' ? 'an' : 'a'} ${role}.`)
  })
  return (
    <Section title="People" about="Viewers read. Members also make and end keys. Owners also change the account and its people.">
      {may('owner') ? null : <p class="soft">{whyNot('owner', 'invite people and change their roles')}</p>}
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      <Await of={loaded} rows={3}>
        {(all) => (
          <ul class="rows">
            {all.items.map((p) => (
              <li key={p.id}>
                <span class="who">{visible(p.email)}{p.email === boot.user.email ? <span class="soft"> (you)</span> : null}</span>
                <span class="meta">since <Time at={p.created_at} as="moment" /></span>
                {may('owner') ? <Roles p={p} onGive={(role) => give(p, role)} /> : <span>{p.role}</span>}
                {may('owner') ? <button type="button" class="button small quiet" aria-label={`Remove ${visible(p.email)}`} onClick={() => remove(p)}>Remove</button> : null}
              </li>
            ))}
          </ul>
        )}
      </Await>
      {leaving ? <Remove of={leaving} onClose={() => remove(null)} /> : null}
    </Section>
  )
}

function Roles({ p, onGive }: { p: Person; onGive: (role: Role) => Promise<boolean> }) {
  const give = async (el: HTMLSelectElement) => {
    if (!(await onGive(el.value as Role))) el.value = p.role
  }
  return (
    <select class="role" aria-label={`Role of ${visible(p.email)}`} value={p.role} onChange={(e) => void give(e.currentTarget)}>
      {roles.map((r) => <option key={r} value={r} selected={r === p.role}>{r}</option>)}
    </select>
  )
}

function Remove({ of: p, onClose }: { of: Person; onClose: () => void }) {
  const doing = useDoing()
  const send = async () => {
    const done = await doing.run(async () => {
      await call('DELETE', '/users/' + p.id)
      changed('/users')
      changed('/audit')
      say(`${visible(p.email)} is no longer in the account.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Remove ${visible(p.email)}`} onClose={onClose}>
      <Form onSend={send} error={doing.error} shown={[]}>
        <p>Their sessions end at once, and the invites that they made. Keys stay: they are of the account.</p>
        <div class="line end">
          <button type="button" class="button" onClick={onClose}>Keep them</button>
          <button type="submit" class="button danger" disabled={doing.busy}>Remove</button>
        </div>
      </Form>
    </Dialog>
  )
}
