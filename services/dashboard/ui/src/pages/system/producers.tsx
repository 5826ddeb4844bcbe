import { CopyableId, Time } from '../../components/basics'
import { formatCount } from '../../format'
import type { Producer } from './types'

const dimZero = (n: number) => (n === 0 ? <span class="soft">0</span> : formatCount(n))
const redCount = (n: number) => (n === 0 ? <span class="soft">0</span> : <b class="lost">{formatCount(n)}</b>)

/** The tooltip of the column with the ids of spools. */
export const spoolMeaning = 'The queue in which a proxy process holds its records until they are stored'

/** The spools of the proxies, newest first. Each process of a proxy has its own spool. */
export function Producers({ all }: { all: Producer[] }) {
  if (all.length === 0) return <p class="soft">No proxy has sent a record yet.</p>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Record spools">
      <table class="table">
        <thead>
          <tr>
            <th scope="col" title={spoolMeaning}>Proxy spool</th><th scope="col">Host</th><th scope="col">Last seen</th>
            {['Sent', 'Stored', 'In flight', 'Missing', 'Lost', 'Dead letters'].map((n) => <th key={n} scope="col" class="num">{n}</th>)}
            <th scope="col" class="num" title="Requests for which no record could be written.">Requests without a record</th>
            <th scope="col">Missing sequence numbers</th>
          </tr>
        </thead>
        <tbody>
          {all.map((p) => (
            <tr key={p.producer}>
              <td><CopyableId id={p.producer} /></td>
              <td>{p.host ?? '—'}</td>
              <td>{p.last_seen ? <Time at={p.last_seen} as="relative" /> : 'never'}</td>
              <td class="num">{formatCount(p.sent)}</td>
              <td class="num">{formatCount(p.stored)}</td>
              <td class="num">{dimZero(p.in_flight)}</td>
              <td class="num">{redCount(p.missing)}</td>
              <td class="num">{redCount(p.lost)}</td>
              <td class="num">{redCount(p.dead_letters)}</td>
              <td class="num">{redCount(p.refused)}</td>
              <td>{p.gaps.length === 0 ? <span class="soft">none</span> : p.gaps.map((g) => (g.first === g.last ? formatCount(g.first) : `${formatCount(g.first)}–${formatCount(g.last)}`)).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
