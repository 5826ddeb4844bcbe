// The users of the account and their roles.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { boot, type Role } from '../../boot'
import { Time } from '../../components/basics'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { params, setParams } from '../../router'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import type { User } from './types'

const roles: Role[] = ['viewer', 'member', 'owner']

export function Users() {
  const loaded = useApi<Items<User>>('/users')
  const [removing, setRemoving] = useState<User | null>(null)
  const find = params.value.get('find') ?? ''
  const role = params.value.get('role') ?? ''
  const mutation = useMutation()
  const changeRole = (p: User, role: Role) => mutation.run(async () => {
    await callApi('PATCH', '/users/' + p.id, { role })
    invalidate('/users', '/audit')
    showToast(`${escapeInvisible(p.email)} is now ${role === 'owner' ? 'an' : 'a'} ${role}.`)
  })
  return (
    <Section title="People" docs="/docs/security#accounts-and-roles" description="Viewers can view everything. Members can also manage keys. Owners can also manage the account and its users.">
      {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'invite users and change their roles')}</p>}
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <Await of={loaded} rows={3}>
        {(all) => {
          const shown = filterUsers(all.items, find, role)
          return <>
          <div class="line asked">
            <TextField label="Find people" value={find} onChange={(v) => setParams({ find: v }, 'replace')} />
            <SelectField label="Role" value={role} options={[['', 'All roles'], ...roles.map((r) => [r, r] as const)]} onChange={(v) => setParams({ role: v })} />
            <a class="button" download="people.csv" href={'data:text/csv;charset=utf-8,' + encodeURIComponent(usersCSV(shown))}>Export CSV</a>
          </div>
          <p class="meta" role="status">{pluralize(shown.length, 'person', 'people')}{shown.length < all.items.length ? ` of ${all.items.length}` : ''}</p>
          <ul class="rows" aria-label="People">
            {shown.map((p) => (
              <li key={p.id}>
                <span class="who">{escapeInvisible(p.email)}{p.email === boot.user.email ? <span class="soft"> (you)</span> : null}</span>
                <span class="meta">joined <Time at={p.created_at} as="moment" /></span>
                {hasRole('owner') ? <RoleSelect p={p} onChange={(role) => changeRole(p, role)} /> : <span>{p.role}</span>}
                {hasRole('owner') ? <button type="button" class="button small quiet" aria-label={`Remove ${escapeInvisible(p.email)}`} onClick={() => setRemoving(p)}>Remove</button> : null}
              </li>
            ))}
          </ul>
          </>
        }}
      </Await>
      {removing ? <RemoveDialog of={removing} onClose={() => setRemoving(null)} /> : null}
    </Section>
  )
}

/** Returns the users whose e-mail address contains a text and who have a role. Empty means all. */
export function filterUsers(all: User[], find: string, role: string): User[] {
  const text = find.trim().toLowerCase()
  return all.filter((p) => p.email.toLowerCase().includes(text) && (!role || p.role === role))
}

/** Returns a file for spreadsheets. An apostrophe keeps a cell from being read as a formula. */
export function usersCSV(all: User[]): string {
  const cell = (text: string) => `"${(/^[\s"']*[=+\-@]/.test(text) ? "'" + text : text).replaceAll('"', '""')}"`
  return [['id', 'email', 'role', 'joined'], ...all.map((p) => [p.id, p.email, p.role, p.created_at])].map((row) => row.map(cell).join(',') + '\r\n').join('')
}

function RoleSelect({ p, onChange }: { p: User; onChange: (role: Role) => Promise<boolean> }) {
  const applyRole = async (el: HTMLSelectElement) => {
    if (!(await onChange(el.value as Role))) el.value = p.role
  }
  return (
    <select class="role" aria-label={`Role of ${escapeInvisible(p.email)}`} value={p.role} onChange={(e) => void applyRole(e.currentTarget)}>
      {roles.map((r) => <option key={r} value={r} selected={r === p.role}>{r}</option>)}
    </select>
  )
}

function RemoveDialog({ of: p, onClose }: { of: User; onClose: () => void }) {
  const mutation = useMutation()
  const send = async () => {
    const done = await mutation.run(async () => {
      await callApi('DELETE', '/users/' + p.id)
      invalidate('/users', '/audit')
      showToast(`${escapeInvisible(p.email)} removed from the account.`)
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={`Remove ${escapeInvisible(p.email)}`} onClose={onClose}>
      <Form onSubmit={send} error={mutation.error} fieldParams={[]}>
        <p>This immediately ends the user’s sessions and revokes the pending invites that the user created. Keys stay active, because they belong to the account.</p>
        <FormButtons submit="Remove" kind="danger" busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
