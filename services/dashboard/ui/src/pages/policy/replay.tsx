import type { Nano } from '../../api'
import { Total } from '../../components/money'
import { escapeInvisible, formatCount, formatModel, pluralize } from '../../format'
import { absolute, formatTotal } from '../../money'
import { setParams } from '../../router'
import type { Trial, Tried } from './floor'
import { extraCost, extraServed, type Replays } from './replays'
import type { ReplayGroup, ReplayResult, ReplaySums } from './types'

/** How a draft, or the active version, would have routed the requests of the last seven days. */
export function ReplayReport({ of: { text: r, active }, trial = null, earlier = null }: { of: Replays; trial?: Trial | null; earlier?: Tried | null }) {
  if (r.requests === 0) return <p>There are no requests to replay: no request of the last 7 days has a recorded routing decision.</p>
  return (
    <div class="stack">
      {active ? <DraftSummary draft={r} active={active} trial={trial} /> : null}
      {trial && earlier ? <EarlierTrial draft={r} trial={trial} earlier={earlier} /> : null}
      {trial ? <p><button type="button" class="linklike" onClick={() => setParams({ quality_of: trial.rule })}>Try another quality {trial.kind}</button>, and compare it with {trial.to}.</p> : null}
      <p>
        Of {pluralize(r.requests, 'request')} in the last 7 days, <b>{formatCount(r.rerouted)}</b> would have been routed differently{active ? <> with the draft ({formatCount(active.rerouted)} with the active policy)</> : null}
        {r.refused > 0 ? <>, <b class="lost">{formatCount(r.refused)}</b> would have been rejected</> : null}
        {r.served > 0 ? <>, <b>{formatCount(r.served)}</b> that {r.served === 1 ? 'was' : 'were'} rejected would have been served</> : null}.
        {' '}This compares with what was paid: each request was routed by the policy that was active at that time, which may be an older version. The replay did not call any provider.
      </p>
      <ReplayTable of={r} active={active} />
      <ReplayNotes of={r} />
      {r.costlier.length > 0 ? <CostlierRequests of={r} /> : null}
    </div>
  )
}

/** The difference between a draft and the active version. If the draft only tries another quality, the sentence names it. */
function DraftSummary({ draft, active, trial }: { draft: ReplayResult; active: ReplayResult; trial: Trial | null }) {
  const extra = extraCost(draft, active)
  if (trial && extra !== null) {
    return (
      <p>
        <b>A quality {trial.kind} of {trial.to} instead of {trial.from} would have cost {extra === 0n ? 'the same' : <><Total nano={absolute(extra)} /> {extra > 0n ? 'more' : 'less'}</>} in the last 7 days</b>: <Total nano={draft.after_nano_usd} />{extra === 0n ? null : <> instead of <Total nano={active.after_nano_usd} /></>}.
      </p>
    )
  }
  if (extra === null) return <p>{describeServed(extraServed(draft, active))}, so their costs cannot be compared.</p>
  if (extra === 0n) return <p><b>The draft costs the same as the active policy</b>: <Total nano={draft.after_nano_usd} />.</p>
  return <p><b>The draft costs <Total nano={absolute(extra)} /> {extra > 0n ? 'more' : 'less'} than the active policy</b>: <Total nano={draft.after_nano_usd} /> instead of <Total nano={active.after_nano_usd} />.</p>
}

/** The difference to the value that was tried before. */
function EarlierTrial({ draft, trial, earlier }: { draft: ReplayResult; trial: Trial; earlier: Tried }) {
  const extra = extraCost(draft, earlier.replay)
  if (extra === null) return null
  return <p><b>{trial.to} instead of {earlier.trial.to}, which you tried before, {extra === 0n ? 'would have cost the same' : <>would have {extra > 0n ? 'cost' : 'saved'} <Total nano={absolute(extra)} />{extra > 0n ? ' more' : ''}</>}</b>: <Total nano={draft.after_nano_usd} />{extra === 0n ? null : <> instead of <Total nano={earlier.replay.after_nano_usd} /></>}.</p>
}

function describeServed(more: number | null): string {
  if (!more) return 'The draft and the active policy do not serve the same requests'
  const compared = more > 0 ? 'more' : 'fewer'
  return `The draft serves ${pluralize(Math.abs(more), compared + ' request')} than the active policy`
}

function ReplayTable({ of: r, active }: { of: ReplayResult; active: ReplayResult | null }) {
  const columns = ['Requests', 'Rerouted', 'Rejected', 'Paid', 'Active policy', ...(active ? ['Draft', 'Draft against active'] : ['Change'])]
  const same = (g: ReplayGroup) => active?.routes.find((a) => a.group === g.group && a.other === g.other)
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Replay by requested model">
      <table class="table">
        <thead><tr><th scope="col">Requested</th>{columns.map((n) => <th key={n} scope="col" class="num">{n}</th>)}</tr></thead>
        <tbody>{r.routes.map((g, i) => <ReplayRow key={i} name={g.other ? 'Others' : escapeInvisible(g.group || '—')} of={g} active={active ? (same(g) ?? unknown) : null} />)}</tbody>
        <tfoot><ReplayRow name="All" of={r} active={active} /></tfoot>
      </table>
    </div>
  )
}

/** A row that only the draft's replay has. */
const unknown = 'unknown'

function ReplayRow({ name, of: s, active }: { name: string; of: ReplaySums; active: ReplaySums | typeof unknown | null }) {
  const known = active === unknown ? undefined : (active ?? undefined)
  return (
    <tr>
      <td>{name}</td>
      <td class="num">{formatCount(s.requests)}</td><td class="num">{formatCount(s.rerouted)}</td><td class="num">{formatCount(s.refused)}</td>
      <td class="num"><Total nano={s.before_nano_usd} /></td>
      {active ? <td class="num"><Total nano={known?.after_nano_usd} /></td> : null}
      <td class="num"><Total nano={s.after_nano_usd} /></td>
      <td class="num"><CostChange nano={active ? extraCost(s, known) : s.difference_nano_usd} /></td>
    </tr>
  )
}

/** A change in cost: red if it costs more, green if it costs less. A dash is an unknown change. */
function CostChange({ nano }: { nano: Nano | null }) {
  if (nano === null) return <span class="soft">—</span>
  const n = BigInt(nano)
  if (n === 0n) return <span class="soft">none</span>
  return <span class={n > 0n ? 'lost' : 'saved'}><Total nano={n} as={n > 0n ? '+' + formatTotal(n) : formatTotal(n)} /></span>
}

function ReplayNotes({ of: r }: { of: ReplayResult }) {
  const notes = [
    r.unpriced > 0 && `${pluralize(r.unpriced, 'request')} without a known price ${r.unpriced === 1 ? 'is' : 'are'} not included in the costs.`,
    r.skipped > 0 && `${pluralize(r.skipped, 'request')} could not be replayed because the data for ${r.skipped === 1 ? 'its routing decision' : 'their routing decisions'} was not recorded.`,
    r.truncated && `Only the newest ${formatCount(r.requests + r.skipped)} requests of the last 7 days were read.`,
  ].filter(Boolean)
  return notes.length > 0 ? <p class="meta">{notes.join(' ')}</p> : null
}

const maxCostlier = 5

function CostlierRequests({ of: r }: { of: ReplayResult }) {
  return (
    <div>
      <h3>Requests that would have cost more than was paid</h3>
      <ul class="costlier">
        {r.costlier.slice(0, maxCostlier).map((l) => (
          <li key={l.id}><CostChange nano={l.difference_nano_usd} /> <a href={'/requests/' + l.id}>{escapeInvisible(formatModel(l.before))} <span aria-hidden="true">→</span> {escapeInvisible(formatModel(l.after))}</a></li>
        ))}
      </ul>
    </div>
  )
}
