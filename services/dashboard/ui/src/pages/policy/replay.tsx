import type { Nano } from '../../api'
import { Total } from '../../components/money'
import { count, plural, visible } from '../../format'
import { total } from '../../money'
import type { Replayed, Sums } from './shapes'

/** What the text would have made of the last days. */
export function Replay({ of: r }: { of: Replayed }) {
  if (r.requests === 0) return <p>There is nothing to replay: no request of the last 7 days has what a decision is made from.</p>
  return (
    <div class="stack">
      <p>
        Of {plural(r.requests, 'request')} of the last 7 days <b>{count(r.flips)}</b> would have gone elsewhere
        {r.refused > 0 ? <>, <b class="lost">{count(r.refused)}</b> would have been refused</> : null}
        {r.served > 0 ? <>, <b>{count(r.served)}</b> that {r.served === 1 ? 'was' : 'were'} refused would have been served</> : null}. No provider was called.
      </p>
      <Table of={r} />
      <Notes of={r} />
      {r.losers.length > 0 ? <Losers of={r} /> : null}
    </div>
  )
}

function Table({ of: r }: { of: Replayed }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Replay, by what was asked for">
      <table class="table">
        <thead><tr><th scope="col">Asked for</th>{['Requests', 'Elsewhere', 'Refused', 'Before', 'After', 'Difference'].map((n) => <th key={n} scope="col" class="num">{n}</th>)}</tr></thead>
        <tbody>{r.routes.map((g, i) => <Row key={i} name={g.other ? 'others' : visible(g.group || '—')} of={g} />)}</tbody>
        <tfoot><Row name="All" of={r} /></tfoot>
      </table>
    </div>
  )
}

function Row({ name, of: s }: { name: string; of: Sums }) {
  return (
    <tr>
      <td>{name}</td>
      <td class="num">{count(s.requests)}</td><td class="num">{count(s.flips)}</td><td class="num">{count(s.refused)}</td>
      <td class="num"><Total nano={s.before_nano_usd} /></td><td class="num"><Total nano={s.after_nano_usd} /></td><td class="num"><Change nano={s.difference_nano_usd} /></td>
    </tr>
  )
}

/** More costs are lost, less are kept. */
function Change({ nano }: { nano: Nano }) {
  const n = BigInt(nano)
  if (n === 0n) return <span class="soft">none</span>
  return <span class={n > 0n ? 'lost' : 'kept'}><Total nano={n} as={n > 0n ? '+' + total(n) : total(n)} /></span>
}

function Notes({ of: r }: { of: Replayed }) {
  const notes = [
    r.unpriced > 0 && `${plural(r.unpriced, 'request')} without a known price ${r.unpriced === 1 ? 'is' : 'are'} in neither sum.`,
    r.skipped > 0 && `${plural(r.skipped, 'request')} could not be replayed: what a decision is made from was not recorded.`,
    r.truncated && 'There are older ones, which were not read.',
  ].filter(Boolean)
  return notes.length > 0 ? <p class="meta">{notes.join(' ')}</p> : null
}

const most = 5

function Losers({ of: r }: { of: Replayed }) {
  return (
    <div>
      <h3>Requests that would have cost more</h3>
      <ul class="losers">
        {r.losers.slice(0, most).map((l) => (
          <li key={l.id}><Change nano={l.difference_nano_usd} /> <a href={'/requests/' + l.id}>{visible(l.before.model)} <span aria-hidden="true">→</span> {visible(l.after.model)}</a></li>
        ))}
      </ul>
    </div>
  )
}
