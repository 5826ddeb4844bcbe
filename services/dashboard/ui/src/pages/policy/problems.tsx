import { capitalizeSentence, escapeInvisible, pluralize } from '../../format'
import type { Problem } from './types'

/** Lists every problem with its position. A click on the position moves the cursor to it. */
export function Problems({ all, onGo }: { all: Problem[]; onGo?: ((at: Problem) => void) | undefined }) {
  return (
    <div class="problems" role="group" aria-label={pluralize(all.length, 'problem')}>
      <p><b class="lost">{pluralize(all.length, 'problem')}.</b> A policy with problems cannot become active.</p>
      <ol>
        {all.map((p, i) => (
          <li key={i}>
            {onGo && p.line > 0 ? <button type="button" class="button small" onClick={() => onGo(p)}>{formatPosition(p)}</button> : <span class="meta">{formatPosition(p)}</span>}
            <span>
              {escapeInvisible(capitalizeSentence(p.message))}{p.did_you_mean ? <>. Did you mean <b class="mono">{escapeInvisible(p.did_you_mean)}</b>?</> : null}
              <span class="meta"> <span class="mono">{p.code}</span>{p.path ? <> at <span class="mono">{escapeInvisible(p.path)}</span></> : null}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const formatPosition = (p: Problem): string => (p.line > 0 ? `Line ${p.line}, column ${p.column}` : 'Whole document')
