import { Money } from '../../components/money'
import { count } from '../../format'
import type { RequestDetail } from '../../types'

export function Decision({ r }: { r: RequestDetail }) {
  return (
    <div class="stack">
      <p>{r.reason.text || 'No decision was made.'} <span class="meta mono">{r.reason.code}{r.reason.rule ? ` · rule ${r.reason.rule}` : ''}</span></p>
      {r.candidates.length > 0 ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
          <table class="table">
            <thead><tr><th scope="col">Candidate</th><th scope="col" class="num">Cost (predicted)</th><th scope="col">Verdict</th></tr></thead>
            <tbody>
              {r.candidates.map((c, i) => (
                <tr key={i}>
                  <td>{c.model} <span class="soft">@ {c.provider}</span>{c.model === r.model && c.provider === r.provider ? <b> · served</b> : null}</td>
                  <td class="num"><Money nano={c.predicted_nano_usd} /></td>
                  <td><span class="mono meta">{c.verdict}</span> {c.text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <Features of={r.features} />
      <p class="meta">
        Decided in {r.route_us} µs · policy <span class="mono">{r.policy_version?.slice(0, 12) ?? '—'}</span> · catalog <span class="mono">{r.catalog_version ?? '—'}</span> · engine <span class="mono">{r.engine_version ?? '—'}</span>
      </p>
    </div>
  )
}

function Features({ of }: { of: Record<string, number> }) {
  const names = Object.keys(of).sort()
  if (names.length === 0) return null
  return (
    <div>
      <h2>Signals</h2>
      <p class="line">{names.map((n) => <span class="chip plain" key={n}>{n.replaceAll('_', ' ')} {count(of[n]!)}</span>)}</p>
    </div>
  )
}
