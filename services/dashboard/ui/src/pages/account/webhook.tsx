// The webhook that receives budget notices.
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { CopyButton } from '../../components/basics'
import { Form, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { ErrorBox } from '../../components/states'
import { useMutation } from '../../mutation'
import { hasRole } from '../../role'
import { showToast } from '../../toast'
import type { Account } from './types'

export function Webhook({ of }: { of: Account['webhook'] }) {
  const owner = hasRole('owner')
  return (
    <Section title="Webhook" docs="/docs/limits#notices-and-webhooks" description="Signalbox calls this URL when a budget of a key or of the account reaches 80 percent, and again at 100 percent.">
      {owner ? <AddressForm url={of.url ?? ''} /> : <p>{of.url ? <code>{of.url}</code> : <span class="soft">No webhook is set.</span>}</p>}
      {owner && of.url ? <><SigningSecret signed={of.signed} /><TestNotice /></> : null}
    </Section>
  )
}

function AddressForm({ url }: { url: string }) {
  const [typed, setTyped] = useState(url)
  const mutation = useMutation()
  const send = () => {
    if (typed.trim() === url) return showToast('No changes to save.')
    void mutation.run(async () => {
      await callApi('PATCH', '/account', { webhook: { url: typed.trim() || null } })
      invalidate('/account', '/audit')
      showToast('Webhook saved.')
    })
  }
  const urlError = mutation.fieldError('webhook_url') ?? mutation.fieldError('webhook.url') ?? mutation.fieldError('url')
  return (
    <Form class="line asked" onSubmit={send} error={mutation.error} fieldParams={['webhook_url', 'webhook.url', 'url']}>
      <TextField label="Webhook URL" hint="Example: https://example.com/hooks/budgets. Leave empty to send no notices." value={typed} error={urlError} onChange={setTyped} />
      <button type="submit" class="button" disabled={mutation.busy}>Save URL</button>
    </Form>
  )
}

/** Creates the signing secret. The secret is shown only once. A lost secret can only be replaced. */
function SigningSecret({ signed }: { signed: boolean }) {
  const [secret, setSecret] = useState<string | null>(null)
  const mutation = useMutation()
  const createSecret = () => mutation.run(async () => {
    setSecret((await callApi<{ secret: string }>('POST', '/account/webhook/secret')).secret)
    invalidate('/account', '/audit')
    showToast('Signing secret created.')
  })
  if (secret) {
    return (
      <section class="reveal" aria-label="New signing secret">
        <p>Signalbox signs notices with this secret from now on. Copy it now: you cannot view it again.</p>
        <div class="line"><code class="secret">{secret}</code><CopyButton text={secret} what="Secret" /></div>
        <button type="button" class="button" onClick={() => setSecret(null)}>Done</button>
      </section>
    )
  }
  return (
    <div class="stack">
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <p class="line">
        <span class="told">{signed ? 'Notices are signed. A new secret replaces the current one.' : 'Notices are not signed, so your server cannot verify where they come from.'}</span>
        <button type="button" class="button" disabled={mutation.busy} onClick={() => void createSecret()}>{signed ? 'Replace secret' : 'Create signing secret'}</button>
      </p>
    </div>
  )
}

function TestNotice() {
  const [result, setResult] = useState<{ ok: boolean; text: string } | null>(null)
  const mutation = useMutation()
  const send = () => mutation.run(async () => {
    const { status, error } = await callApi<{ status: number | null; error: string | null }>('POST', '/account/webhook/test')
    setResult(error ? { ok: false, text: `Test notice not delivered: ${error}.` } : { ok: true, text: `Test notice delivered. Your server returned ${status}.` })
  })
  return (
    <div class="stack">
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <p class="line">
        <span class={result && !result.ok ? 'told lost' : 'told'} role="status">{result?.text ?? 'Send a test notice to check the webhook.'}</span>
        <button type="button" class="button" disabled={mutation.busy} onClick={() => void send()}>Send test notice</button>
      </p>
    </div>
  )
}
