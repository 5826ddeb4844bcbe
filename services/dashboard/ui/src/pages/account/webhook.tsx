// Where the account is told that a budget runs out.
import { useState } from 'preact/hooks'
import { call, changed } from '../../api'
import { CopyButton } from '../../components/bits'
import { Form, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { may } from '../../role'
import { say } from '../../say'
import type { Account } from './types'

export function Webhook({ of }: { of: Account['webhook'] }) {
  const owner = may('owner')
  return (
    <Section title="Webhook" about="It is called when a budget of a key or of the account reaches 80 and 100 percent.">
      {owner ? <Address url={of.url ?? ''} /> : <p>{of.url ? <code>{of.url}</code> : <span class="soft">There is none.</span>}</p>}
      {owner && of.url ? <><Secret signed={of.signed} /><Test /></> : null}
    </Section>
  )
}

function Address({ url }: { url: string }) {
  const [typed, setTyped] = useState(url)
  const doing = useDoing()
  const send = () => {
    if (typed.trim() === url) return say('Nothing has changed.')
    void doing.run(async () => {
      await call('PATCH', '/account', { webhook: { url: typed.trim() || null } })
      changed('/account')
      changed('/audit')
      say('Saved.')
    })
  }
  const wrong = doing.wrong('webhook_url') ?? doing.wrong('webhook.url') ?? doing.wrong('url')
  return (
    <Form class="line asked" onSend={send} error={doing.error} shown={['webhook_url', 'webhook.url', 'url']}>
      <TextField label="Address" hint="Such as https://example.com/hooks/budgets. Empty: nobody is told." value={typed} wrong={wrong} onChange={setTyped} />
      <button type="submit" class="button" disabled={doing.busy}>Save the address</button>
    </Form>
  )
}

/** The secret is shown once; whoever has lost it makes another. */
function Secret({ signed }: { signed: boolean }) {
  const [made, setMade] = useState<string | null>(null)
  const doing = useDoing()
  const make = () => doing.run(async () => {
    setMade((await call<{ secret: string }>('POST', '/account/webhook/secret')).secret)
    changed('/account')
    changed('/audit')
    say('The signing secret is made.')
  })
  if (made) {
    return (
      <section class="reveal" aria-label="The new signing secret">
        <p>Notices are signed with it from now on. It is shown this once: copy it now.</p>
        <div class="line"><code class="secret">{made}</code><CopyButton text={made} what="The secret" /></div>
        <button type="button" class="button" onClick={() => setMade(null)}>I saved it</button>
      </section>
    )
  }
  return (
    <div class="stack">
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      <p class="line">
        <span class="told">{signed ? 'Notices are signed. A new secret ends the one before it.' : 'Notices are not signed: whoever knows the address could send some.'}</span>
        <button type="button" class="button" disabled={doing.busy} onClick={() => void make()}>{signed ? 'Make a new secret' : 'Make a signing secret'}</button>
      </p>
    </div>
  )
}

function Test() {
  const [said, setSaid] = useState<{ ok: boolean; text: string } | null>(null)
  const doing = useDoing()
  const send = () => doing.run(async () => {
    const { status, error } = await call<{ status: number | null; error: string | null }>('POST', '/account/webhook/test')
    setSaid(error ? { ok: false, text: `It was not told: ${error}.` } : { ok: true, text: `It answered ${status}.` })
  })
  return (
    <div class="stack">
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      <p class="line">
        <span class={said && !said.ok ? 'told lost' : 'told'} role="status">{said?.text ?? 'Try it with a notice that says it is a test.'}</span>
        <button type="button" class="button" disabled={doing.busy} onClick={() => void send()}>Send a test</button>
      </p>
    </div>
  )
}
