// Every supported provider, and what enables it.
import { useState } from 'preact/hooks'
import { callApi, useApi } from '../../api'
import { CopyButton } from '../../components/basics'
import { TextField } from '../../components/fields'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { useMutation } from '../../mutation'
import { buildURL, navigate } from '../../router'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { addToDraft } from '../policy/draft'
import type { PolicyState } from '../policy/types'
import { countProviders, describeAdding, type LocalServer, localLines, policyLines, type Supported } from './adding'
import { type Credential, describeCredential } from './drain'

/** What the proxies report about credentials. It is undefined until it is known. */
type Credentials = Credential[] | undefined

export function SupportedProviders({ credentials }: { credentials: Credentials }) {
  const all = useApi<Items<Supported>>('/providers/supported')
  const policy = useApi<PolicyState>('/policy')
  const [text, setText] = useState('')
  const [found, setFound] = useState<LocalSearch>()
  const shown = (all.data?.items ?? []).filter((p) => `${p.id} ${p.kind} ${p.variable ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <section class="stack supported" aria-labelledby="supported">
      <h2 id="supported">Add a provider</h2>
      <p>{describeAdding(policy.data, shown)} <a href="/docs/providers">How providers are configured</a></p>
      <LocalServers found={found} onFound={setFound} />
      <Await of={all}>{() => (
        <>
          <div class="line"><TextField label="Find a provider" value={text} onChange={setText} /><span class="meta" role="status">{countProviders(shown)}</span></div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Supported providers">
            <table class="table">
              <thead><tr><th scope="col">Provider</th><th scope="col">State</th><th scope="col">Variable or credential</th><th scope="col">Format</th><th scope="col" class="num">Models</th><th scope="col">Policy</th></tr></thead>
              <tbody>{shown.map((p) => <Row key={p.id} of={p} credentials={credentials} found={found?.items ?? []} />)}</tbody>
            </table>
          </div>
        </>
      )}</Await>
    </section>
  )
}

function Row({ of: p, credentials, found }: { of: Supported; credentials: Credentials; found: LocalServer[] }) {
  const own = credentials?.filter((c) => c.provider === p.id) ?? []
  return (
    <tr>
      <th scope="row"><span class="mark" aria-hidden="true">{p.id.slice(0, 2)}</span> <bdi>{escapeInvisible(p.id)}</bdi></th>
      <td>{p.configured ? <>In the policy{own.map((c) => <CredentialNote key={c.name} of={c} />)}</> : <span class="soft">Not configured</span>}</td>
      <td class="mono">{p.credentials.length > 0 ? p.credentials.join(', ') : p.variable ?? <span class="soft">none</span>}</td>
      <td>{p.kind}</td>
      <td class="num">{formatCount(p.models)}</td>
      <td>{p.configured ? null : <AddLines to={p.id} lines={policyLines(p, found)} />}</td>
    </tr>
  )
}

function CredentialNote({ of: c }: { of: Credential }) {
  const { ok, text } = describeCredential(c)
  return <>, <span class={ok ? undefined : 'lost'}>credential {text}</span></>
}

/** Buttons that copy lines of a policy, or add them to the draft and open it. */
function AddLines({ to, lines }: { to: string; lines: string }) {
  const change = useMutation()
  const add = () => void change.run(async () => {
    const p = await callApi<PolicyState>('GET', '/policy')
    if (p.read_only) return showToast('The policy comes from a file. Copy the lines, and add them there.')
    if (!addToDraft(p.version, lines)) return showToast('The lines do not fit into the draft as it is written. Copy them, and add them on the page Policy.')
    navigate(buildURL('/policy', { added: to }))
    showToast('Lines added to the draft.')
  })
  return (
    <span class="line">
      <button type="button" class="button small" aria-label={`Add to draft: ${to}`} disabled={change.busy} onClick={add}>Add to draft</button>
      <CopyButton text={lines} what="Lines" note="Add them to the policy.">Copy YAML</CopyButton>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </span>
  )
}

interface LocalSearch {
  available: boolean
  items: LocalServer[]
}

function LocalServers({ found, onFound }: { found: LocalSearch | undefined; onFound: (found: LocalSearch) => void }) {
  const search = useMutation()
  const look = () => void search.run(async () => onFound(await callApi('POST', '/providers/local')))
  return (
    <div class="stack">
      <div class="line"><button type="button" class="button" disabled={search.busy} onClick={look}>Find local servers</button><span class="meta">Looks for Ollama, vLLM, LM Studio, llama.cpp and similar servers on this machine.</span></div>
      {search.error ? <ErrorBox error={search.error} /> : null}
      <div role="status">
        {!found ? null : !found.available ? <p>The proxies may run on other machines, so this installation cannot look for local servers. Only the all-in-one can.</p> : found.items.length === 0 ? <p>No local server responds at its usual port. Start one, and try again.</p> : (
          <ul class="localservers">
            {found.items.map((s) => (
              <li key={s.provider}>
                <b>{s.provider}</b>
                <span><span class="mono">{s.base_url}</span> {s.models.length > 0 ? <bdi>{escapeInvisible(s.models.join(', '))}</bdi> : 'No model is loaded.'}</span>
                <AddLines to={s.provider} lines={localLines(s.provider, s.models)} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
