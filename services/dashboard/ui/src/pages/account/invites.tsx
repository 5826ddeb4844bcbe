// Invites: links that work once, and are shown once.
import { useState } from 'preact/hooks'
import { call, changed, useApi } from '../../api'
import { boot, type Role } from '../../boot'
import { CopyButton, Time } from '../../components/bits'
import { Choice, Form } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { moment } from '../../format'
import { may } from '../../role'
import { say } from '../../say'
import type { Items } from '../../types'
import type { Invite, NewInvite } from './types'

type As = Role | 'account'

const usual: [As, string][] = [['viewer', 'Viewer: reads'], ['member', 'Member: also makes and ends keys'], ['owner', 'Owner: also changes the account']]

export function Invites() {
  if (!may('owner')) return null
  return (
    <Section title="Invites" about="Links that work once.">
      <Make />
      <Waiting />
    </Section>
  )
}

function Make() {
  const [as, setAs] = useState<As>('member')
  const [made, setMade] = useState<NewInvite | null>(null)
  const doing = useDoing()
  const options: [As, string][] = boot.operator ? [...usual, ['account', 'Owner of an account of their own']] : usual
  const send = () => void doing.run(async () => {
    setMade(await call<NewInvite>('POST', '/invites', as === 'account' ? { new_account: true } : { role: as }))
    changed('/invites')
    changed('/audit')
    say('The invite is made.')
  })
  return (
    <>
      {made ? <Link made={made} onDone={() => setMade(null)} /> : null}
      <Form class="line asked" onSend={send} error={doing.error} shown={[]}>
        <Choice label="Invite somebody as" value={as} options={options} onChange={setAs} />
        <button type="submit" class="button" disabled={doing.busy}>Make a link</button>
      </Form>
    </>
  )
}

function Link({ made, onDone }: { made: NewInvite; onDone: () => void }) {
  const url = new URL(made.url, location.href).href
  return (
    <section class="reveal" aria-label="The new invite">
      <p>Send this link to them. It is shown this once, and works once, until {moment(made.expires_at)}:</p>
      <div class="line"><code class="secret">{url}</code><CopyButton text={url} what="The link" /></div>
      <button type="button" class="button" onClick={onDone}>I have sent it</button>
    </section>
  )
}

function Waiting() {
  const loaded = useApi<Items<Invite>>('/invites')
  const doing = useDoing()
  const revoke = (i: Invite) => doing.run(async () => {
    await call('DELETE', '/invites/' + i.id)
    changed('/invites')
    changed('/audit')
    say('The invite is ended.')
  })
  return (
    <>
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      <Await of={loaded} rows={2}>
        {(all) => all.items.length === 0 ? <p class="soft">No invite waits to be accepted.</p> : (
          <ul class="rows" aria-label="Invites that wait">
            {all.items.map((i) => (
              <li key={i.id}>
                <span class="who">{i.new_account ? 'owner of a new account' : i.role}</span>
                <span class="meta">made <Time at={i.created_at} as="relative" /></span>
                <span class="meta">ends <Time at={i.expires_at} as="relative" /></span>
                <button type="button" class="button small quiet" aria-label={`End the invite made ${moment(i.created_at)}`} onClick={() => void revoke(i)}>End</button>
              </li>
            ))}
          </ul>
        )}
      </Await>
    </>
  )
}
