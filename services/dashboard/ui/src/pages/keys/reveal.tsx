// Keys that were just made. They are kept by the page, wherever the reader
// goes, until they say that they have them: nobody can show them again.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { boot } from '../../boot'
import { CopyButton } from '../../components/bits'
import { visible } from '../../format'
import { say } from '../../say'
import type { Key } from './key'

/** The newest first. */
export const revealed = signal<Key[]>([])

export function reveal(k: Key): void {
  revealed.value = [k, ...revealed.value]
}

export function Reveal() {
  return <>{revealed.value.map((k) => <Revealed key={k.id} k={k} />)}</>
}

function Revealed({ k }: { k: Key }) {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // After a dialog has given the focus back.
    requestAnimationFrame(() => head.current?.focus())
  }, [])
  const saved = () => {
    revealed.value = revealed.value.filter((x) => x !== k)
    say('The key is out of sight.')
    document.querySelector('h1')?.focus()
  }
  return (
    <section class="reveal" aria-labelledby={'revealed-' + k.id}>
      <h2 id={'revealed-' + k.id} ref={head} tabIndex={-1}>Your key “{visible(k.name)}” is made</h2>
      <p>It is shown this once, and kept nowhere: copy it now.</p>
      <Secret k={k} />
      <button type="button" class="button main" onClick={saved}>I saved it</button>
    </section>
  )
}

/** The key itself, with ways to take it along. */
export function Secret({ k }: { k: Key }) {
  return (
    <div class="line">
      <code class="secret">{k.key}</code>
      <CopyButton text={k.key ?? ''} what="The key" />
      <button type="button" class="button small" onClick={() => download(k)}>Download .env</button>
    </div>
  )
}

function download(k: Key): void {
  const text = `# ${visible(k.name)} (${k.prefix})\nOPENAI_BASE_URL=${boot.base_url}\nOPENAI_API_KEY=${k.key}\n`
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const a = document.createElement('a')
  a.href = url
  a.download = `${k.name.replace(/[^\w.-]+/g, '-') || 'signalbox'}.env`
  a.click()
  URL.revokeObjectURL(url)
}
