import { escapeInvisible, pluralize } from '../../format'
import { describePath, toYAML } from './diffwords'
import type { Difference } from './types'

/** The changes to the routing, and the changed lines of the text. */
export function DiffView({ of: d }: { of: Difference }) {
  return (
    <div class="stack differences">
      {d.changes.length === 0 ? <p>{d.unified ? 'Only the text differs. Routing does not change.' : 'No differences.'}</p> : (
        <>
          <p><b>{pluralize(d.changes.length, 'change')}</b> to routing.</p>
          <ol>
            {d.changes.map((c, i) => (
              <li key={i}>
                <span class={'kind ' + c.kind}>{c.kind}</span>
                <span title={c.path}>{escapeInvisible(describePath(c.path, c.new || c.old))}</span>
                {c.old ? <del class="mono">{escapeInvisible(toYAML(c.old))}</del> : null}
                {c.new ? <ins class="mono">{escapeInvisible(toYAML(c.new))}</ins> : null}
              </li>
            ))}
          </ol>
        </>
      )}
      {d.unified ? <details><summary>Changed lines</summary><UnifiedDiff text={d.unified} /></details> : null}
    </div>
  )
}

const tones: Record<string, string> = { '+': 'plus', '-': 'minus', '@': 'soft' }

function UnifiedDiff({ text }: { text: string }) {
  return <pre class="unified">{text.split('\n').map((l, i) => <span key={i} class={tones[l[0] ?? ''] ?? ''}>{escapeInvisible(l)}{'\n'}</span>)}</pre>
}
