import { Money } from '../../components/money'
import { VerdictText } from '../../components/verdict'
import { formatNumbersIn, escapeInvisible, formatModel, formatQuality } from '../../format'
import type { Decision } from './types'

/** The decision for a request: the first choice and its fallbacks, the reason, and every candidate. */
export function DecisionView({ of: d }: { of: Decision }) {
  const [first, ...rest] = d.plan
  return (
    <div class="stack">
      <p>
        {first ? <>This request would go to <b>{formatModel(first)}</b> at {first.provider}{rest.length > 0 ? <>, with the fallbacks {rest.map((t) => `${formatModel(t)} at ${t.provider}`).join(', ')}</> : null}. </> : null}
        {formatNumbersIn(escapeInvisible(d.reason?.text ?? ''))} <span class="meta mono">{d.reason?.code}{d.reason?.rule ? ` · rule ${escapeInvisible(d.reason.rule)}` : ''}</span>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
        <table class="table">
          <thead><tr><th scope="col">Candidate</th><th scope="col" class="num">Quality</th><th scope="col" class="num">Predicted cost</th><th scope="col">Result</th></tr></thead>
          <tbody>
            {d.verdicts.map((v, i) => (
              <tr key={i}>
                <td>{v.candidate ? formatModel(v.candidate) : null} <span class="soft">@ {v.candidate?.provider}</span></td>
                <td class="num">{v.quality > 0 ? formatQuality(v.quality) : '—'}</td>
                <td class="num"><Money nano={v.predicted_nano_usd} /></td>
                <td><VerdictText code={v.code} text={v.text} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
