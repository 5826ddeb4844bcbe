// API tokens: programs call the dashboard's API with them. Each token is shown once.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { boot } from '../../boot'
import { CopyButton, Time } from '../../components/basics'
import { Form, SelectField, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible, formatDateTime } from '../../format'
import { useMutation } from '../../mutation'
import { hasRole } from '../../role'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { allowedScopes, expiryAfter, lifetimes, type Lifetime } from './tokenscopes'
import type { Token, TokenScope } from './types'

export function Tokens() {
  return (
    <Section title="API tokens" docs="/docs/security#api-tokens" description="Programs call the API of the dashboard with a token. It acts as you, with your role and only the scopes that you choose.">
      <CreateToken />
      <TokenList />
    </Section>
  )
}

function CreateToken() {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<TokenScope[]>(['read'])
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [made, setMade] = useState<Token | null>(null)
  const mutation = useMutation()
  const send = () => void mutation.run(async () => {
    setMade(await callApi<Token>('POST', '/tokens', { name, scopes, expires_at: expiryAfter(lifetime, Date.now()) }))
    setName('')
    invalidate('/tokens', '/audit')
    showToast('API token created.')
  })
  const toggle = (s: TokenScope, on: boolean) => setScopes(on ? [...scopes, s] : scopes.filter((x) => x !== s))
  return (
    <>
      {made ? <NewToken made={made} onDone={() => setMade(null)} /> : null}
      <Form onSubmit={send} error={mutation.error} fieldParams={['name']}>
        <TextField label="Name" hint="What uses the token, such as CI." value={name} required error={mutation.fieldError('name')} onChange={setName} />
        <fieldset class="plain">
          <legend>Scopes</legend>
          {allowedScopes(boot.user.role, boot.operator).map(([s, text]) => (
            <label key={s} class="check"><input type="checkbox" checked={scopes.includes(s)} onChange={(e) => toggle(s, e.currentTarget.checked)} /> {text}</label>
          ))}
        </fieldset>
        <SelectField label="Expires" value={lifetime} options={lifetimes} onChange={setLifetime} />
        <div class="line"><button type="submit" class="button" disabled={mutation.busy || scopes.length === 0}>Create token</button></div>
      </Form>
    </>
  )
}

function NewToken({ made, onDone }: { made: Token; onDone: () => void }) {
  return (
    <section class="reveal" aria-label="New API token">
      <p>Copy the token now: you cannot view it again. It expires {formatDateTime(made.expires_at)}.</p>
      <div class="line"><code class="secret">{made.token}</code><CopyButton text={made.token ?? ''} what="Token" /></div>
      <button type="button" class="button" onClick={onDone}>Done</button>
    </section>
  )
}

function TokenList() {
  const loaded = useApi<Items<Token>>('/tokens')
  const mutation = useMutation()
  const revoke = (t: Token) => mutation.run(async () => {
    await callApi('DELETE', '/tokens/' + t.id)
    invalidate('/tokens', '/audit')
    showToast('API token revoked.')
  })
  return (
    <>
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <Await of={loaded} rows={2}>
        {(all) => all.items.length === 0 ? <p class="soft">No API tokens.</p> : (
          <ul class="rows" aria-label="API tokens">
            {all.items.map((t) => (
              <li key={t.id}>
                <span class="who">{escapeInvisible(t.name)} <span class="soft">{t.prefix}… · {t.scopes.join(', ')}{hasRole('owner') && t.email !== boot.user.email ? ' · ' + escapeInvisible(t.email) : ''}</span></span>
                <span class="meta">{t.last_used_at ? <>used <Time at={t.last_used_at} as="relative" /></> : 'never used'}</span>
                <span class="meta">expires <Time at={t.expires_at} as="relative" /></span>
                <button type="button" class="button small quiet" aria-label={`Revoke the token ${escapeInvisible(t.name)}`} onClick={() => void revoke(t)}>Revoke</button>
              </li>
            ))}
          </ul>
        )}
      </Await>
    </>
  )
}
