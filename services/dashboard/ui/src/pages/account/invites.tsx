// Invite links. Each link works once and is shown once.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { boot, type Role } from '../../boot'
import { CopyButton, Time } from '../../components/basics'
import { Form, SelectField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { formatDateTime } from '../../format'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import type { Invite, NewInvite } from './types'

type InviteAs = Role | 'account'

const roleOptions: [InviteAs, string][] = [['viewer', 'Viewer: can view everything'], ['member', 'Member: can also manage keys'], ['owner', 'Owner: can also manage the account']]

export function Invites() {
  if (!hasRole('owner')) return <p class="soft">{explainMissingRole('owner', 'invite users')}</p>
  return (
    <Section title="Invites" description="A link adds one user. Each link works once.">
      <CreateInvite />
      <PendingInvites />
    </Section>
  )
}

function CreateInvite() {
  const [as, setAs] = useState<InviteAs>('member')
  const [invite, setInvite] = useState<NewInvite | null>(null)
  const mutation = useMutation()
  const options: [InviteAs, string][] = boot.operator ? [...roleOptions, ['account', 'Owner of a new account']] : roleOptions
  const send = () => void mutation.run(async () => {
    setInvite(await callApi<NewInvite>('POST', '/invites', as === 'account' ? { new_account: true } : { role: as }))
    invalidate('/invites', '/audit')
    showToast('Invite created.')
  })
  return (
    <>
      {invite ? <InviteLink made={invite} onDone={() => setInvite(null)} /> : null}
      <Form class="line asked" onSubmit={send} error={mutation.error} fieldParams={[]}>
        <SelectField label="Role of the new user" value={as} options={options} onChange={setAs} />
        <button type="submit" class="button" disabled={mutation.busy}>Create invite link</button>
      </Form>
    </>
  )
}

function InviteLink({ made, onDone }: { made: NewInvite; onDone: () => void }) {
  const url = new URL(made.url, location.href).href
  return (
    <section class="reveal" aria-label="New invite link">
      <p>Send this link to the new user. It works once and expires {formatDateTime(made.expires_at)}. Copy it now: you cannot view it again.</p>
      <div class="line"><code class="secret">{url}</code><CopyButton text={url} what="Link" /></div>
      <button type="button" class="button" onClick={onDone}>Done</button>
    </section>
  )
}

function PendingInvites() {
  const loaded = useApi<Items<Invite>>('/invites')
  const mutation = useMutation()
  const revoke = (i: Invite) => mutation.run(async () => {
    await callApi('DELETE', '/invites/' + i.id)
    invalidate('/invites', '/audit')
    showToast('Invite revoked.')
  })
  return (
    <>
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <Await of={loaded} rows={2}>
        {(all) => all.items.length === 0 ? <p class="soft">No pending invites.</p> : (
          <ul class="rows" aria-label="Pending invites">
            {all.items.map((i) => (
              <li key={i.id}>
                <span class="who">{i.new_account ? 'Owner of a new account' : i.role}</span>
                <span class="meta">created <Time at={i.created_at} as="relative" /></span>
                <span class="meta">expires <Time at={i.expires_at} as="relative" /></span>
                <button type="button" class="button small quiet" aria-label={`Revoke the invite created ${formatDateTime(i.created_at)}`} onClick={() => void revoke(i)}>Revoke</button>
              </li>
            ))}
          </ul>
        )}
      </Await>
    </>
  )
}
