import { Money } from '../../components/money'
import { VerdictText } from '../../components/verdict'
import { addThousandsSeparators, escapeInvisible, formatCount, formatDuration, formatModel } from '../../format'
import type { Attempt, Candidate, RequestDetail } from '../../types'

export function Decision({ r }: { r: RequestDetail }) {
  if (!r.reason.code && r.candidates.length === 0) return <p>The request ended before a routing decision, so no candidates were evaluated.</p>
  // If the request succeeded without a fallback, the summary above the tabs already contains the reason.
  const isSummarized = r.outcome === 'ok' && r.route !== 'fallback'
  return (
    <div class="stack">
      <p>{isSummarized ? null : <>{addThousandsSeparators(escapeInvisible(r.reason.text))} </>}<span class="meta mono">{r.reason.code}{r.reason.rule ? ` · rule ${escapeInvisible(r.reason.rule)}` : ''}</span></p>
      <Conditions r={r} />
      {r.candidates.length > 0 ? (
        <div class="scroll" tabIndex={0} role="region" aria-label="Candidates">
          <table class="table">
            <thead><tr><th scope="col">Candidate</th><th scope="col" class="num">Predicted cost</th>{hasSession(r) ? <th scope="col" class="num" title="The expected cost of this request and of the rest of its session">With rest of session</th> : null}<th scope="col">Result</th></tr></thead>
            <tbody>{r.candidates.map((c, i) => <CandidateRow key={i} c={c} r={r} />)}</tbody>
          </table>
        </div>
      ) : null}
      <Features of={r.features} />
      {r.policy_version ? (
        <p class="meta">
          Decided in {formatDuration(r.route_us)} · policy <span class="mono">{r.policy_version.slice(0, 12)}</span> · catalog <span class="mono">{r.catalog_version ?? '—'}</span> · engine <span class="mono">{r.engine_version ?? '—'}</span>
        </p>
      ) : null}
    </div>
  )
}

const hasSession = (r: RequestDetail): boolean => r.candidates.some((c) => c.session_nano_usd !== null)

/** What the client asked of the decision beside the model. */
function Conditions({ r }: { r: RequestDetail }) {
  const limit = r.inputs?.max_cost_nano_usd ?? null
  const ownEffort = r.inputs?.own_effort ?? false
  if (limit === null && !ownEffort) return null
  return (
    <p>
      {limit !== null ? <>The client limited the cost of this request to <Money nano={limit} />. </> : null}
      {ownEffort ? 'The request sets its own reasoning effort, which takes precedence over an effort in the policy.' : null}
    </p>
  )
}

/** A candidate, its verdict, and the results of its attempts. */
function CandidateRow({ c, r }: { c: Candidate; r: RequestDetail }) {
  const isSame = (x: { model: string | null; provider: string | null; effort: string | null }) => x.model === c.model && x.provider === c.provider && x.effort === c.effort
  return (
    <tr>
      <td class="candidate">{formatModel(c)} <span class="soft">@ {c.provider}</span>{isSame(r) ? <b class="served">Served</b> : null}</td>
      <td class="num"><Money nano={c.predicted_nano_usd} /></td>
      {hasSession(r) ? <td class="num"><Money nano={c.session_nano_usd} /></td> : null}
      <td><VerdictText code={c.verdict} text={c.text} />{r.attempts.filter(isSame).map((a, i) => <AttemptResult key={i} a={a} />)}</td>
    </tr>
  )
}

function AttemptResult({ a }: { a: Attempt }) {
  const after = formatDuration(a.ended_us - a.started_us)
  if (a.code === 'OVER_LIMIT') return <div class="lost">Skipped: the provider had reached the limit that the policy sets for it.</div>
  if (a.code === 'BREAKER_OPEN') return <div class="lost">Skipped: the circuit breaker was open after too many failed calls.</div>
  if (a.code === 'CLIENT_CANCELLED') return <div>The client disconnected after {after}.</div>
  if (!a.code) return <div>Responded after {after}.</div>
  return <div class="lost">Failed after {after}: {a.status ? `${a.status} ` : ''}<span class="mono">{a.code}</span></div>
}

/** The features of the request that the decision used. Features that are zero are left out. */
function Features({ of }: { of: Record<string, number> }) {
  const names = Object.keys(of).filter((n) => of[n] !== 0).sort()
  if (names.length === 0) return null
  return (
    <div class="stack">
      <h2>Features of the request</h2>
      <p class="line signals">{names.map((n) => <span class="chip plain" key={n}>{n.replaceAll('_', ' ')} <b>{formatCount(of[n]!)}</b></span>)}</p>
    </div>
  )
}
