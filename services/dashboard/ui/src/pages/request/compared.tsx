// How experiments compared the response of a request with that of another candidate.
import { Money } from '../../components/money'
import { escapeInvisible, formatModel } from '../../format'
import { hasRole } from '../../role'
import type { RequestComparison, RequestDetail } from '../../types'
import { runAgainURL } from './runagain'

export function Compared({ r }: { r: RequestDetail }) {
  if (r.comparisons.length === 0) return null
  return (
    <section class="stack" aria-label="Experiments">
      <ul class="evidence">
        {r.comparisons.map((c, i) => (
          <li key={i}>
            <b>{describeVerdict(c)}</b> <span class="soft">experiment {escapeInvisible(c.experiment)}, {formatModel(c)} @ {c.provider}, <Money nano={c.cost_nano_usd} />, judge {c.judge_model}, <Money nano={c.judge_cost_nano_usd} /></span>
            {hasRole('member') ? <> <a href={runAgainURL(r, [r.model ?? r.requested_model, c.model])}>Run both again</a></> : null}
          </li>
        ))}
      </ul>
      <p class="meta">Experiments store no text. Run both models again to see what differs in their responses.</p>
    </section>
  )
}

/** The verdict of the judge in words. */
export function describeVerdict(c: Pick<RequestComparison, 'score' | 'result' | 'model'>): string {
  if (c.score === null) return `No verdict (${c.result.replaceAll('_', ' ')})`
  if (c.score === 0) return `As good as ${c.model}`
  const much = Math.abs(c.score) < 1 ? 'Perhaps ' : ''
  return capitalize(`${much}${c.score < 0 ? 'better' : 'worse'} than ${c.model}`)
}

const capitalize = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
