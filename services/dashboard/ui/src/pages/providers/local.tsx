// The local servers of this machine, and how their models get into the policy.
import { useEffect } from 'preact/hooks'
import { callApi } from '../../api'
import { ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { withParams } from '../../router'
import { type LocalServer, localLines } from './adding'
import { AddLines } from './addlines'
import { LocalForm } from './localform'

export interface LocalSearch {
  available: boolean
  items: LocalServer[]
}

/** Opens the search for local servers on the page Providers. */
export const LocalLink = () => <a class="button" href={withParams({ local: '1' })}>Add a local model</a>

/** Searches when it opens, and lists the servers with a button that adds their models to the draft. */
export function LocalServers({ found, onFound }: { found: LocalSearch | undefined; onFound: (found: LocalSearch) => void }) {
  const search = useMutation()
  const look = () => void search.run(async () => onFound(await callApi('POST', '/providers/local')))
  useEffect(look, [])
  return (
    <section class="stack" aria-labelledby="local">
      <div class="line"><h2 id="local">Add a local model</h2><a class="button small" href={withParams({ local: null })}>Close</a></div>
      {search.error ? <ErrorBox error={search.error} /> : null}
      <div role="status">{found ? <Result of={found} /> : search.busy ? <p>Looking for Ollama, vLLM, LM Studio, llama.cpp and similar servers on this machine…</p> : null}</div>
      <LocalForm key={JSON.stringify(found?.items ?? [])} found={found?.available ? found.items : null} />
      {found?.available !== false && !search.busy ? <p><button type="button" class="button small" onClick={look}>Look again</button></p> : null}
    </section>
  )
}

export function Result({ of: found }: { of: LocalSearch }) {
  if (!found.available) return <p>The proxies may run on other machines, so this installation cannot look for local servers. Only the all-in-one can. Name the model and the address at which the proxies reach its server.</p>
  if (found.items.length === 0) return <p>No local server responds at its usual port. Name a model now, and start its server before you publish, for example with <code>ollama serve</code>.</p>
  return (
    <>
      <p>Add all models of a server to the policy draft, or name one below. You see the change before you publish.</p>
      <ul class="localservers">
        {found.items.map((s) => (
          <li key={s.provider}>
            <b>{s.provider}</b>
            <span><span class="mono">{s.base_url}</span> {s.models.length > 0 ? <bdi>{escapeInvisible(s.models.join(', '))}</bdi> : 'No model is loaded.'}</span>
            <AddLines to={s.provider} lines={localLines(s.provider, s.models)} />
          </li>
        ))}
      </ul>
    </>
  )
}
