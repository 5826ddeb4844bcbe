// Small things that many pages show.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { clock, day, moment, relative, shortId, span, zoneName } from '../format'
import { say } from '../say'

/** A time of day; the whole of it, and how long ago, when asked. */
export function Time({ at, as = 'clock' }: { at: string; as?: 'clock' | 'moment' | 'relative' }) {
  const text = as === 'clock' ? clock(at) : as === 'moment' ? moment(at) : relative(at)
  return <time dateTime={at} title={`${day(at)} ${clock(at)} ${zoneName()} · ${relative(at)}`}>{text}</time>
}

export function Span({ us }: { us: number | null | undefined }) {
  return <span class="num">{us === null || us === undefined ? '—' : span(us)}</span>
}

/** An id that is copied by a click. */
export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  return (
    <button type="button" class="id" title="Copy" onClick={() => copy(id, 'The id')}>
      {whole ? id : shortId(id)}
    </button>
  )
}

export async function copy(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} is copied.`)
    return true
  } catch {
    say(`${what} could not be copied: select and copy it yourself.`)
    return false
  }
}

export function CopyButton({ text, what, children }: { text: string; what: string; children?: ComponentChildren }) {
  const [done, setDone] = useState(false)
  return (
    <button type="button" class="button small" onClick={async () => setDone(await copy(text, what))}>
      {done ? 'Copied' : (children ?? 'Copy')}
    </button>
  )
}

/** How much of a limit is used. */
export function Bar({ used, of, label }: { used: number; of: number; label: string }) {
  const part = of > 0 ? Math.min(1, used / of) : 0
  const tone = part >= 1 ? ' full' : part >= 0.8 ? ' near' : ''
  return (
    <span class={'bar' + tone} role="img" aria-label={label} title={label}>
      <span ref={(el) => { if (el) el.style.width = `${part * 100}%` }} />
    </span>
  )
}

/** A state; without a label it only repeats what stands beside it. */
export function Dot({ state, label }: { state: 'good' | 'half' | 'bad'; label?: string }) {
  return label ? <span class={`dot ${state}`} role="img" aria-label={label} title={label} /> : <span class={`dot ${state}`} aria-hidden="true" />
}
