// The candidates of a decision, with what was expected of each and what its attempts gave.
import { Money } from '../../components/money'
import { VerdictText } from '../../components/verdict'
import { formatCount, formatDuration, formatModel, formatQuality } from '../../format'
import type { Attempt, Candidate, RequestDetail } from '../../types'

export function Candidates({ r }: { r: RequestDetail }) {
  if (r.candidates.length === 0) return null
  const session = hasSession(r)
  return (
    <div class="scroll candidates" tabIndex={0} role="region" aria-label="Candidates">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col" title="The expected quality, and where it probably is: about two of three intervals contain it">Quality</th>
            <th scope="col" class="num" title="The expected cost, and the length of the response that it is based on">Expected cost</th>
            {session ? <th scope="col" class="num" title="The expected cost of this request and of the rest of its session">With rest of session</th> : null}
            <th scope="col" class="num" title="The expected time to the first token. Of a model that streamed nothing lately, the time to the complete response.">First token</th>
          </tr>
        </thead>
        <tbody>{r.candidates.map((c, i) => <CandidateRow key={i} c={c} r={r} session={session} />)}</tbody>
      </table>
    </div>
  )
}

const hasSession = (r: RequestDetail): boolean => r.candidates.some((c) => c.session_nano_usd !== null)

function CandidateRow({ c, r, session }: { c: Candidate; r: RequestDetail; session: boolean }) {
  const isSame = (x: { model: string | null; provider: string | null; effort: string | null }) => x.model === c.model && x.provider === c.provider && x.effort === c.effort
  return (
    <tr>
      <td class="candidate">
        {formatModel(c)} <span class="soft">@ {c.provider}</span>{isSame(r) ? <b class="served">Served</b> : null}
        <div class="result"><VerdictText code={c.verdict} text={c.text} />{r.attempts.filter(isSame).map((a, i) => <AttemptResult key={i} a={a} />)}</div>
      </td>
      <td><Quality c={c} /></td>
      <td class="num"><Money nano={c.predicted_nano_usd} />{c.output_tokens ? <div class="meta">{formatCount(c.output_tokens)} tokens</div> : null}</td>
      {session ? <td class="num"><Money nano={c.session_nano_usd} /></td> : null}
      <td class="num">{c.latency_us ? formatDuration(c.latency_us) : <span class="soft">unknown</span>}</td>
    </tr>
  )
}

/** The quality as a number and on a scale from 0 to 1, with its interval. */
function Quality({ c }: { c: Candidate }) {
  if (!c.quality) return <span class="soft">unknown</span>
  const [low, high] = [c.quality_low ?? null, c.quality_high ?? null]
  const place = (from: number, to: number) => (el: HTMLElement | null) => {
    if (!el) return
    el.style.left = `${from / 10}%`
    el.style.width = `${Math.max(0, to - from) / 10}%`
  }
  return (
    <div class="quality">
      {formatQuality(c.quality)}
      <span class="scale" aria-hidden="true">
        {low !== null && high !== null ? <span class="range" ref={place(low, high)} /> : null}
        <span class="point" ref={place(Math.min(c.quality, 1000), 0)} />
      </span>
      <span class="meta">{low !== null && high !== null ? `${formatQuality(low)}–${formatQuality(high)}` : 'rating'}</span>
    </div>
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
