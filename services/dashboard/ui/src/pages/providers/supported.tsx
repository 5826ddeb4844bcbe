// Every supported provider, and what enables it.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { CopyButton } from '../../components/basics'
import { TextField } from '../../components/fields'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount, pluralize } from '../../format'
import type { Items } from '../../types'

export interface Supported {
  id: string
  kind: string
  variable: string | null
  base_url: string | null
  models: number
  configured: boolean
  credentials: string[]
}

export function SupportedProviders() {
  const all = useApi<Items<Supported>>('/providers/supported')
  const [text, setText] = useState('')
  return (
    <section class="stack supported" aria-labelledby="supported">
      <h2 id="supported">Add a provider</h2>
      <p>While Signalbox generates the policy, set the variable of a provider and restart. Once you have published a policy or started with <code>--config</code>, add the lines to the policy. <a href="/docs/providers">How providers are configured</a></p>
      <Await of={all}>{(a) => {
        const shown = a.items.filter((p) => `${p.id} ${p.kind} ${p.variable ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()))
        return (
          <>
            <div class="line"><TextField label="Find a provider" value={text} onChange={setText} /><span class="meta" role="status">{pluralize(shown.length, 'provider')}, {formatCount(a.items.filter((p) => p.configured).length)} configured</span></div>
            <div class="scroll" tabIndex={0} role="region" aria-label="Supported providers">
              <table class="table">
                <thead><tr><th scope="col">Provider</th><th scope="col">State</th><th scope="col">Variable or credential</th><th scope="col">Format</th><th scope="col" class="num">Models</th><th scope="col">Policy</th></tr></thead>
                <tbody>{shown.map((p) => <Row key={p.id} of={p} />)}</tbody>
              </table>
            </div>
          </>
        )
      }}</Await>
    </section>
  )
}

function Row({ of: p }: { of: Supported }) {
  return (
    <tr>
      <th scope="row"><span class="mark" aria-hidden="true">{p.id.slice(0, 2)}</span> <bdi>{escapeInvisible(p.id)}</bdi></th>
      <td>{p.configured ? 'In the policy' : <span class="soft">Not configured</span>}</td>
      <td class="mono">{p.credentials.length > 0 ? p.credentials.join(', ') : p.variable ?? <span class="soft">none</span>}</td>
      <td>{p.kind}</td>
      <td class="num">{formatCount(p.models)}</td>
      <td>{p.configured ? null : <CopyButton text={policyLines(p)} what="Lines" note="Add them to the policy.">Copy YAML</CopyButton>}</td>
    </tr>
  )
}

/** The lines that add a provider of the catalog to a policy. */
export function policyLines(p: Supported): string {
  const own = p.base_url ? '' : '\n    base_url: https://… # your own address'
  return `providers:\n  ${p.id}:${own}\n    keys: [{ref: env:${p.variable ?? 'NAME_OF_THE_VARIABLE'}}]\n`
}
