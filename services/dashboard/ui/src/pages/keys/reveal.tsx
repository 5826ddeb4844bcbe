// Keys that were just created. The pages show their secrets until the user
// clicks Done, because a secret cannot be shown again.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { boot } from '../../boot'
import { CopyButton } from '../../components/basics'
import { escapeInvisible } from '../../format'
import { showToast } from '../../toast'
import type { Key } from './key'

/** Newly created keys, newest first. */
export const revealed = signal<Key[]>([])

export function revealKey(k: Key): void {
  revealed.value = [k, ...revealed.value]
}

export function RevealedKeys() {
  return <>{revealed.value.map((k) => <RevealedKey key={k.id} k={k} />)}</>
}

function RevealedKey({ k }: { k: Key }) {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Wait for a closing dialog, which restores the focus first.
    requestAnimationFrame(() => head.current?.focus())
  }, [])
  const dismiss = () => {
    revealed.value = revealed.value.filter((x) => x !== k)
    showToast('Key hidden.')
    document.querySelector('h1')?.focus()
  }
  return (
    <section class="reveal" aria-labelledby={'revealed-' + k.id}>
      <h2 id={'revealed-' + k.id} ref={head} tabIndex={-1}>Key “{escapeInvisible(k.name)}” created</h2>
      <p>Copy the key now: you cannot view it again.</p>
      <SecretLine k={k} />
      <button type="button" class="button main" onClick={dismiss}>Done</button>
    </section>
  )
}

/** The secret key, with buttons to copy and download it. */
export function SecretLine({ k }: { k: Key }) {
  return (
    <div class="line">
      <code class="secret">{k.key}</code>
      <CopyButton text={k.key ?? ''} what="Key" />
      <button type="button" class="button small" onClick={() => downloadEnvFile(k)}>Download .env</button>
    </div>
  )
}

function downloadEnvFile(k: Key): void {
  const text = `# ${escapeInvisible(k.name)} (${k.prefix})\nOPENAI_BASE_URL=${boot.base_url}\nOPENAI_API_KEY=${k.key}\n`
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const a = document.createElement('a')
  a.href = url
  a.download = `${k.name.replace(/[^\w.-]+/g, '-') || 'signalbox'}.env`
  a.click()
  URL.revokeObjectURL(url)
}
