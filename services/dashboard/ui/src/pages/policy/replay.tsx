import type { Nano } from '../../api'
import { Total } from '../../components/money'
import { escapeInvisible, formatCount, formatModel, pluralize } from '../../format'
import { formatTotal } from '../../money'
import type { ReplayResult, ReplaySums } from './types'

/** How the draft would have routed the requests of the last seven days. */
export function ReplayReport({ of: r }: { of: ReplayResult }) {
  if (r.requests === 0) return <p>There are no requests to replay: no request of the last 7 days has a recorded routing decision.</p>
  return (
    <div class="stack">
      <p>
        Of {pluralize(r.requests, 'request')} in the last 7 days, <b>{formatCount(r.rerouted)}</b> would have been routed differently
        {r.refused > 0 ? <>, <b class="lost">{formatCount(r.refused)}</b> would have been rejected</> : null}
        {r.served > 0 ? <>, <b>{formatCount(r.served)}</b> that {r.served === 1 ? 'was' : 'were'} rejected would have been served</> : null}. The replay did not call any provider.
      </p>
      <ReplayTable of={r} />
      <ReplayNotes of={r} />
      {r.costlier.length > 0 ? <CostlierRequests of={r} /> : null}
    </div>
  )
}

function ReplayTable({ of: r }: { of: ReplayResult }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Replay by requested model">
      <table class="table">
        <thead><tr><th scope="col">Requested</th>{['Requests', 'Rerouted', 'Rejected', 'Cost before', 'Cost after', 'Change'].map((n) => <th key={n} scope="col" class="num">{n}</th>)}</tr></thead>
        <tbody>{r.routes.map((g, i) => <ReplayRow key={i} name={g.other ? 'Others' : escapeInvisible(g.group || '—')} of={g} />)}</tbody>
        <tfoot><ReplayRow name="All" of={r} /></tfoot>
      </table>
    </div>
  )
}

function ReplayRow({ name, of: s }: { name: string; of: ReplaySums }) {
  return (
    <tr>
      <td>{name}</td>
      <td class="num">{formatCount(s.requests)}</td><td class="num">{formatCount(s.rerouted)}</td><td class="num">{formatCount(s.refused)}</td>
      <td class="num"><Total nano={s.before_nano_usd} /></td><td class="num"><Total nano={s.after_nano_usd} /></td><td class="num"><CostChange nano={s.difference_nano_usd} /></td>
    </tr>
  )
}

/** A change in cost: red if it costs more, green if it costs less. */
function CostChange({ nano }: { nano: Nano }) {
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
      <h3>Requests that would have cost more</h3>
      <ul class="costlier">
        {r.costlier.slice(0, maxCostlier).map((l) => (
          <li key={l.id}><CostChange nano={l.difference_nano_usd} /> <a href={'/requests/' + l.id}>{escapeInvisible(formatModel(l.before))} <span aria-hidden="true">→</span> {escapeInvisible(formatModel(l.after))}</a></li>
        ))}
      </ul>
    </div>
  )
}
