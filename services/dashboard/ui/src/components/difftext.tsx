import { escapeInvisible } from '../format'
import { diffWords } from '../textdiff'

/** Two texts as one, with what is only in the first and what is only in the second marked. */
export function DiffText({ before, after }: { before: string; after: string }) {
  const pieces = diffWords(before, after)
  if (!pieces) return <p class="meta">The texts are too long to compare word by word.</p>
  if (pieces.every((p) => p.kind === 'same')) return <p class="meta">The texts are equal.</p>
  return (
    <pre class="content difftext" tabIndex={0} dir="auto">
      {pieces.map((p, i) => {
        const text = escapeInvisible(p.text)
        return p.kind === 'same' ? text : p.kind === 'removed' ? <del key={i}>{text}</del> : <ins key={i}>{text}</ins>
      })}
    </pre>
  )
}
