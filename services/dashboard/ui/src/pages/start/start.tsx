// Getting started in three steps: create a key, send a request, see it arrive.
import { callApi, invalidate } from '../../api'
import { boot } from '../../boot'
import { CopyButton } from '../../components/basics'
import { Tabs } from '../../components/controls'
import { ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { lazyPart } from '../../lazy'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { params, setParams } from '../../router'
import type { Items } from '../../types'
import type { Key } from '../keys/key'
import { revealed, revealKey, SecretLine } from '../keys/reveal'
import { FirstRequest } from './firstrequest'
import { isSameOrigin, SendButton } from './sendbutton'
import { curlSnippet, toolNames } from './snippets'

export function Start() {
  const createdKey = revealed.value[0]
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Start</h1><a class="button quiet" href="/">Skip to overview</a></div>
      <p class="headline">Create a key, send one request, and see where it went and what it cost.</p>
      <ol class="steps">
        <li><div class="stack"><h2>Get a key</h2><KeyStep createdKey={createdKey} /></div></li>
        <li><div class="stack"><h2>Send a request</h2><CallStep secret={createdKey?.key} /></div></li>
        <li><div class="stack"><h2>See the result</h2><FirstRequest createdKey={createdKey} /></div></li>
      </ol>
    </>
  )
}

function KeyStep({ createdKey }: { createdKey: Key | undefined }) {
  const mutation = useMutation()
  const createKey = () => mutation.run(async () => {
    const { items } = await callApi<Items<Key>>('GET', '/keys')
    revealKey(await callApi<Key>('POST', '/keys', { name: unusedName(items.map((k) => k.name)) }))
    invalidate('/keys')
  })
  if (createdKey) return <><SecretLine k={createdKey} /><p class="meta">Key “{escapeInvisible(createdKey.name)}” created. Copy it now: you cannot view it again. <a href="/keys">View all keys</a></p></>
  if (!hasRole('member')) return <p>{explainMissingRole('member', 'create keys')} If you already have a key, use it in place of $SIGNALBOX_KEY below.</p>
  return (
    <>
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <p>Create a key, or use {boot.operator ? 'the key from the terminal' : 'one that you have'} (<code>export SIGNALBOX_KEY=…</code>).</p>
      <div class="line"><button type="button" class="button main" disabled={mutation.busy} onClick={createKey}>Create key</button></div>
    </>
  )
}

/** Returns a name that no key has yet: first, first-2 and so on. */
function unusedName(names: string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'first' : `first-${n}`
    if (!names.includes(name)) return name
  }
}

const ToolSnippet = lazyPart(async () => (await import('./toolsnippet')).ToolSnippet)

function CallStep({ secret }: { secret: string | undefined }) {
  const selected = toolNames.find((t) => t.id === params.value.get('lang'))?.id ?? 'curl'
  const curl = curlSnippet(boot.base_url, secret)
  return (
    <>
      <div><Tabs tabs={toolNames} selected={selected} label="Tools" onSelect={(id) => setParams({ lang: id === 'curl' ? null : id }, 'replace')}>
        {selected === 'curl' ? (
          <div class="call">
            <pre class="snippet" tabIndex={0}>{curl}</pre>
            <CopyButton text={curl} what="Code">Copy</CopyButton>
          </div>
        ) : <ToolSnippet id={selected} base={boot.base_url} secret={secret} />}
      </Tabs></div>
      <p class="meta">Some SDKs show error texts only in OpenAI’s nested format. Set <a href="/docs/errors#openai-format">Error format</a> when you <a href="/keys">create or edit a key</a>.</p>
      {secret && isSameOrigin ? <div class="line"><SendButton secret={secret} /></div> : null}
    </>
  )
}
