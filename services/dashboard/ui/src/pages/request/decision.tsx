import { Money } from '../../components/money'
import { count, separated, span, visible } from '../../format'
import type { Attempt, Candidate, RequestDetail } from '../../types'

export function Decision({ r }: { r: RequestDetail }) {
  if (!r.reason.code && r.candidates.length === 0) return <p>It ended before a decision was made: no candidate was looked at.</p>
  // What the headline says already is not said again.
  const told = r.outcome === 'ok' && r.route !== 'fallback'
  return (
    <div class="stack">
      <p>{told ? null : <>{separated(visible(r.reason.text))} </>}<span class="meta mono">{r.reason.code}{r.reason.rule ? ` · rule ${visible(r.reason.rule)}` : ''}</span></p>
      {r.candidates.length > 0 ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
          <table class="table">
            <thead><tr><th scope="col">Candidate</th><th scope="col" class="num">Cost (predicted)</th><th scope="col">Verdict</th></tr></thead>
            <tbody>{r.candidates.map((c, i) => <Line key={i} c={c} r={r} />)}</tbody>
          </table>
        </div>
      ) : null}
      <Features of={r.features} />
      {r.policy_version ? (
        <p class="meta">
          Decided in {span(r.route_us)} · policy <span class="mono">{r.policy_version.slice(0, 12)}</span> · catalog <span class="mono">{r.catalog_version ?? '—'}</span> · engine <span class="mono">{r.engine_version ?? '—'}</span>
        </p>
      ) : null}
    </div>
  )
}

/** A candidate, why it is where it is, and what came of it if it was asked. */
function Line({ c, r }: { c: Candidate; r: RequestDetail }) {
  const of = (x: { model: string | null; provider: string | null }) => x.model === c.model && x.provider === c.provider
  return (
    <tr>
      <td class="candidate">{c.model} <span class="soft">@ {c.provider}</span>{of(r) ? <b class="served">served</b> : null}</td>
      <td class="num"><Money nano={c.predicted_nano_usd} /></td>
      <td><span class="mono meta">{c.verdict}</span> {separated(c.text)}{r.attempts.filter(of).map((a, i) => <Asked key={i} a={a} />)}</td>
    </tr>
  )
}

function Asked({ a }: { a: Attempt }) {
  const after = span(a.ended_us - a.started_us)
  if (a.code === 'OVER_LIMIT') return <div class="lost">Not asked: its provider was at the limit that the policy sets.</div>
  if (a.code === 'BREAKER_OPEN') return <div class="lost">Not asked: too many of its calls had failed.</div>
  if (!a.code) return <div>Asked, it answered after {after}.</div>
  return <div class="lost">Asked, it failed after {after}: {a.status ? `${a.status} ` : ''}<span class="mono">{a.code}</span></div>
}

/** What of the request was looked at; what was not there says nothing. */
function Features({ of }: { of: Record<string, number> }) {
  const names = Object.keys(of).filter((n) => of[n] !== 0).sort()
  if (names.length === 0) return null
  return (
    <div class="stack">
      <h2>Signals</h2>
      <p class="line signals">{names.map((n) => <span class="chip plain" key={n}>{n.replaceAll('_', ' ')} <b>{count(of[n]!)}</b></span>)}</p>
    </div>
  )
}
