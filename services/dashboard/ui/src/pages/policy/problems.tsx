import { plural, visible } from '../../format'
import type { Problem } from './shapes'

/** Every fault, with where it is; a click goes there. */
export function Problems({ all, onGo }: { all: Problem[]; onGo?: ((at: Problem) => void) | undefined }) {
  return (
    <div class="problems" role="group" aria-label={plural(all.length, 'problem')}>
      <p><b class="lost">{plural(all.length, 'problem')}.</b> A text with a problem is never put in force.</p>
      <ol>
        {all.map((p, i) => (
          <li key={i}>
            {onGo && p.line > 0 ? <button type="button" class="button small" onClick={() => onGo(p)}>{place(p)}</button> : <span class="meta">{place(p)}</span>}
            <span>
              {visible(p.message)}{p.did_you_mean ? <>; did you mean <b class="mono">{visible(p.did_you_mean)}</b>?</> : null}
              <span class="meta"> <span class="mono">{p.code}</span>{p.path ? <> at <span class="mono">{visible(p.path)}</span></> : null}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const place = (p: Problem): string => (p.line > 0 ? `Line ${p.line}, column ${p.column}` : 'The whole')
