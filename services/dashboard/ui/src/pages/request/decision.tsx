// Why a request got its candidates: the reason, what was predicted and why, and what was
// found in the request.
import { Money } from '../../components/money'
import { formatNumbersIn, escapeInvisible, formatDuration } from '../../format'
import type { Explanation, RequestDetail } from '../../types'
import { Candidates } from './candidates'

export function Decision({ r }: { r: RequestDetail }) {
  if (!r.reason.code && r.candidates.length === 0) return <p>The request ended before a routing decision, so no candidates were evaluated.</p>
  // If the request succeeded without a fallback, the summary above the tabs already contains the reason.
  const isSummarized = r.outcome === 'ok' && r.route !== 'fallback'
  return (
    <div class="stack">
      <p>{isSummarized ? null : <>{formatNumbersIn(escapeInvisible(r.reason.text))} </>}<span class="meta mono">{r.reason.code}{r.reason.rule ? ` · rule ${escapeInvisible(r.reason.rule)}` : ''}</span></p>
      <Conditions r={r} />
      {r.explanation && r.endpoint !== 'embeddings' ? <Why e={r.explanation} /> : null}
      <Candidates r={r} />
      {r.explanation ? <Signals e={r.explanation} /> : null}
      {r.policy_version ? (
        <p class="meta">
          Decided in {formatDuration(r.route_us)} · policy <span class="mono">{r.policy_version.slice(0, 12)}</span> · catalog <span class="mono">{r.catalog_version ?? '—'}</span> · engine <span class="mono">{r.engine_version ?? '—'}</span>
        </p>
      ) : null}
    </div>
  )
}

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

/** What kind of request it is, what makes it hard or easy, and whether the predictor knows such requests. */
function Why({ e }: { e: Explanation }) {
  return (
    <dl class="facts">
      {e.reasons.length > 0 ? (
        <>
          <dt>Request</dt>
          <dd>{e.reasons.map((x, i) => <span key={i}>{i > 0 ? ', ' : ''}{x.text}{x.effect === 'neutral' ? null : <span class="soft"> ({x.effect})</span>}</span>)}</dd>
        </>
      ) : null}
      <dt>Predictor</dt><dd>{e.guard.text}</dd>
    </dl>
  )
}

/** What was found in the request, with the names that a policy uses as tooltips. */
function Signals({ e }: { e: Explanation }) {
  if (e.signals.length === 0) return null
  return (
    <div class="stack">
      <h2>Found in the request</h2>
      <p class="line signals">{e.signals.map((s) => <span class="chip plain" key={s.name} title={s.features.map((n) => `feature.${n}`).join(', ')}>{s.name} <b>{s.text}</b></span>)}</p>
    </div>
  )
}
