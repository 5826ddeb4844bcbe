import { Id, Time } from '../../components/bits'
import { count } from '../../format'
import type { Producer } from './shapes'

const dash = (n: number) => (n === 0 ? <span class="soft">0</span> : count(n))
const bad = (n: number) => (n === 0 ? <span class="soft">0</span> : <b class="lost">{count(n)}</b>)

/** Every spool of a proxy, the newest first: each start that found none makes one. */
export function Producers({ all }: { all: Producer[] }) {
  if (all.length === 0) return <p class="soft">No proxy has written a record yet.</p>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Producers of records">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Spool</th><th scope="col">Host</th><th scope="col">Heard of</th>
            {['Sent', 'Stored', 'On the way', 'Missing', 'Lost', 'Dead letters', 'Refused'].map((n) => <th key={n} scope="col" class="num">{n}</th>)}
            <th scope="col">Gaps</th>
          </tr>
        </thead>
        <tbody>
          {all.map((p) => (
            <tr key={p.producer}>
              <td><Id id={p.producer} /></td>
              <td>{p.host ?? '—'}</td>
              <td>{p.last_seen ? <Time at={p.last_seen} as="relative" /> : 'never'}</td>
              <td class="num">{count(p.sent)}</td>
              <td class="num">{count(p.stored)}</td>
              <td class="num">{dash(p.in_flight)}</td>
              <td class="num">{bad(p.missing)}</td>
              <td class="num">{bad(p.lost)}</td>
              <td class="num">{bad(p.dead_letters)}</td>
              <td class="num">{bad(p.refused)}</td>
              <td>{p.gaps.length === 0 ? <span class="soft">none</span> : p.gaps.map((g) => (g.first === g.last ? count(g.first) : `${count(g.first)}–${count(g.last)}`)).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
