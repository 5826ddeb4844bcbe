import { plural, visible } from '../../format'
import type { Difference } from './shapes'

/** What would change by meaning, and behind it by letter. */
export function Differences({ of: d }: { of: Difference }) {
  return (
    <div class="stack differences">
      {d.changes.length === 0 ? <p>{d.unified ? 'The text differs; it decides the same.' : 'There is no difference.'}</p> : (
        <>
          <p><b>{plural(d.changes.length, 'change')}</b> of meaning.</p>
          <ol>
            {d.changes.map((c, i) => (
              <li key={i}>
                <span class={'kind ' + c.kind}>{c.kind}</span>
                <span class="mono">{visible(c.path)}</span>
                {c.old ? <del class="mono">{visible(c.old)}</del> : null}
                {c.new ? <ins class="mono">{visible(c.new)}</ins> : null}
              </li>
            ))}
          </ol>
        </>
      )}
      {d.unified ? <details><summary>The text, line by line</summary><Unified text={d.unified} /></details> : null}
    </div>
  )
}

const tones: Record<string, string> = { '+': 'plus', '-': 'minus', '@': 'soft' }

function Unified({ text }: { text: string }) {
  return <pre class="unified">{text.split('\n').map((l, i) => <span key={i} class={tones[l[0] ?? ''] ?? ''}>{visible(l)}{'\n'}</span>)}</pre>
}
