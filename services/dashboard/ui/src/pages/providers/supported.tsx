// Every supported provider, and what enables it.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { TextField } from '../../components/fields'
import { Await, Skeleton } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import type { Items } from '../../types'
import type { PolicyState } from '../policy/types'
import { countProviders, describeAdding, type LocalServer, policyLines, type Supported } from './adding'
import { AddLines } from './addlines'
import { type Credential, describeCredential } from './drain'
import { LocalLink } from './local'

/** What the proxies report about credentials. It is undefined until it is known. */
type Credentials = Credential[] | undefined

export function SupportedProviders({ credentials, found }: { credentials: Credentials; found: LocalServer[] }) {
  const all = useApi<Items<Supported>>('/providers/supported')
  const policy = useApi<PolicyState>('/policy')
  const [text, setText] = useState('')
  if ((!policy.data && !policy.error) || (!all.data && !all.error)) return <Skeleton />
  const shown = (all.data?.items ?? []).filter((p) => `${p.id} ${p.kind} ${p.variable ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <section class="stack supported" aria-labelledby="supported">
      <h2 id="supported">Add a provider</h2>
      <p>{describeAdding(policy.data, shown)} <a href="/docs/providers">How providers are configured</a></p>
      <p><LocalLink /> <span class="meta">Looks for Ollama, vLLM, LM Studio, llama.cpp and similar servers on this machine.</span></p>
      <Await of={all}>{() => (
        <>
          <div class="line"><TextField label="Find a provider" value={text} onChange={setText} /><span class="meta" role="status">{countProviders(shown)}</span></div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Supported providers">
            <table class="table">
              <thead><tr><th scope="col">Provider</th><th scope="col">State</th><th scope="col">Variable or credential</th><th scope="col">Format</th><th scope="col" class="num">Models</th><th scope="col">Policy</th></tr></thead>
              <tbody>{shown.map((p) => <Row key={p.id} of={p} credentials={credentials} found={found} />)}</tbody>
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
