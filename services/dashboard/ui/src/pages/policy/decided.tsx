import { Money } from '../../components/money'
import { separated, visible } from '../../format'
import type { Decision } from './shapes'

/** How a request would be decided: the plan, why, and every candidate. */
export function Decided({ of: d }: { of: Decision }) {
  const [first, ...rest] = d.plan
  return (
    <div class="stack">
      <p>
        {first ? <>It would go to <b>{first.model}</b> at {first.provider}{rest.length > 0 ? <>, then {rest.map((t) => `${t.model} at ${t.provider}`).join(', ')}</> : null}. </> : null}
        {separated(visible(d.reason?.text ?? ''))} <span class="meta mono">{d.reason?.code}{d.reason?.rule ? ` · rule ${visible(d.reason.rule)}` : ''}</span>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
        <table class="table">
          <thead><tr><th scope="col">Candidate</th><th scope="col" class="num">Quality</th><th scope="col" class="num">Cost (predicted)</th><th scope="col">Verdict</th></tr></thead>
          <tbody>
            {d.verdicts.map((v, i) => (
              <tr key={i}>
                <td>{v.target?.model} <span class="soft">@ {v.target?.provider}</span></td>
                <td class="num">{v.quality > 0 ? (v.quality / 1000).toFixed(2) : '—'}</td>
                <td class="num"><Money nano={v.predicted_nano_usd} /></td>
                <td><span class="mono meta">{v.code}</span> {separated(visible(v.text))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
