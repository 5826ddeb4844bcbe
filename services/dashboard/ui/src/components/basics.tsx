// Small elements that many pages use.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatClock, formatCount, formatDateTime, formatDay, formatDuration, formatRelative, formatTokens, shortenId, zoneName } from '../format'
import { showToast } from '../toast'

/** A time. Its tooltip has the full date and how long ago it was. */
export function Time({ at, as = 'clock' }: { at: string; as?: 'clock' | 'moment' | 'relative' }) {
  const text = as === 'clock' ? formatClock(at) : as === 'moment' ? formatDateTime(at) : formatRelative(at)
  return <time dateTime={at} title={`${formatDay(at)} ${formatClock(at)} ${zoneName()} · ${formatRelative(at)}`}>{text}</time>
}

/** A number of tokens. If it is rounded, the tooltip has the exact one. */
export function Tokens({ n }: { n: number }) {
  const text = formatTokens(n), exact = formatCount(n)
  return <span title={text === exact ? undefined : exact}>{text}</span>
}

export function Duration({ us }: { us: number | null | undefined }) {
  return <span class="num">{us === null || us === undefined ? '—' : formatDuration(us)}</span>
}

/** An id. A click copies it. */
export function CopyableId({ id, full = false }: { id: string; full?: boolean }) {
  return (
    <button type="button" class="id" title="Copy" onClick={() => copyToClipboard(id, 'ID')}>
      {full ? id : shortenId(id)}
    </button>
  )
}

/** Copies a text and shows a toast. After a successful copy, the toast says "<what> copied." and then the note. */
export async function copyToClipboard(text: string, what: string, note = ''): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(`${what} copied.${note ? ' ' + note : ''}`)
    return true
  } catch {
    showToast(`${what} not copied: the browser denied access to the clipboard. Select the text and copy it.`)
    return false
  }
}

export function CopyButton({ text, what, note, children }: { text: string; what: string; note?: string; children?: ComponentChildren }) {
  const [done, setDone] = useState(false)
  return (
    <button type="button" class="button small" onClick={async () => setDone(await copyToClipboard(text, what, note))}>
      {done ? 'Copied' : (children ?? 'Copy')}
    </button>
  )
}

/** An error code that can wrap after its underscores. */
export function Code({ code }: { code: string }) {
  return <span class="mono">{code.split('_').flatMap((part, i) => (i ? ['_', <wbr key={i} />, part] : [part]))}</span>
}

/** Shows how much of a limit is used. */
export function UsageBar({ used, of, label }: { used: number; of: number; label: string }) {
  const part = of > 0 ? Math.min(1, used / of) : 0
  const tone = part >= 1 ? ' full' : part >= 0.8 ? ' near' : ''
  return (
    <span class={'bar' + tone} role="img" aria-label={label} title={label}>
      <span ref={(el) => { if (el) el.style.width = `${part * 100}%` }} />
    </span>
  )
}

/** A colored dot for a state. Without a label it is decoration, and screen readers skip it. */
export function StatusDot({ state, label }: { state: 'good' | 'degraded' | 'bad'; label?: string }) {
  return label ? <span class={`dot ${state}`} role="img" aria-label={label} title={label} /> : <span class={`dot ${state}`} aria-hidden="true" />
}
