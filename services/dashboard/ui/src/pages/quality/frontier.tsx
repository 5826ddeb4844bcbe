// Cost against predicted quality for the requests of this installation, with today's dial on it.
import { useApi } from '../../api'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { formatCount } from '../../format'
import { formatPercent } from '../../money'
import { type FrontierData, formatCostChange, formatQualityChange, placePoints, type Point, pointNames } from './dial'

export function Frontier() {
  const loaded = useApi<FrontierData>('/policy/frontier')
  return (
    <section class="stack" aria-labelledby="frontier">
      <h2 id="frontier">Cost and quality</h2>
      <Await of={loaded} rows={4}>{(f) => <FrontierView of={f} />}</Await>
    </section>
  )
}

function FrontierView({ of: f }: { of: FrontierData }) {
  const today = f.points.find((p) => p.name === 'today')
  if (!today && f.skipped > 0) return <p>{formatCount(f.skipped)} requests for <code>auto</code> are left out, because a price or a predicted quality is missing. <a href="/docs/policy#models">Give the models of the policy a price and a quality</a>, then look again.</p>
  if (!today) return <p>No request of the last 7 days can be replayed. Send requests with the model <code>auto</code>, then look again.</p>
  return (
    <>
      <p>What your newest {formatCount(f.requests)} requests for <code>auto</code> would have cost with other positions of the dial, and how good the responses are expected to be. No provider was called.</p>
      <Drawing points={f.points} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Positions of the dial">
        <table class="table">
          <thead><tr><th scope="col">Position</th><th scope="col" class="num">Cost</th><th scope="col" class="num">Compared with today</th><th scope="col" class="num">Predicted quality</th><th scope="col" class="num">Compared with today</th></tr></thead>
          <tbody>{f.points.map((p) => <PointRow key={p.name} of={p} today={today} />)}</tbody>
        </table>
      </div>
      <p class="meta">
        To move the dial, change the <a href="/docs/policy#aims">aim</a> of the route, or request a preset such as <code>auto:economy</code>. To see what any other value would have saved, such as a quality of 0.9 instead of 0.97, change it in the <a href="/policy">policy</a> and select “Replay last 7 days”. The qualities are predictions; the table above shows what was measured.
        {f.skipped > 0 ? ` ${formatCount(f.skipped)} requests are left out, because a price or prediction is missing.` : ''}
      </p>
    </>
  )
}

function PointRow({ of: p, today }: { of: Point; today: Point }) {
  return (
    <tr class={p.name === 'today' ? 'total' : undefined}>
      <th scope="row">{pointNames[p.name]}</th>
      <td class="num"><Total nano={p.cost_nano_usd} /></td>
      <td class="num">{p.name === 'today' ? '' : formatCostChange(p, today)}</td>
      <td class="num">{formatPercent(100 * p.quality)}</td>
      <td class="num">{p.name === 'today' ? '' : formatQualityChange(p, today)}{p.dominated ? <span class="meta"> another is better and cheaper</span> : null}</td>
    </tr>
  )
}

const width = 480
const height = 140

/** The points as a drawing. The table has the same data. */
function Drawing({ points }: { points: Point[] }) {
  return (
    <svg class="frontier" viewBox={`-20 -20 ${width + 200} ${height + 44}`} aria-hidden="true">
      <path d={`M-8 -8V${height + 8}H${width + 8}`} />
      <text x={width + 8} y={height + 20} text-anchor="end">cost →</text>
      <text x={-4} y={-10}>↑ predicted quality</text>
      {placePoints(points, width, height).map((d) => (
        <g key={d.names[0]} class={d.names.includes('today') ? 'now' : undefined}><circle cx={d.x} cy={d.y} r={5} /><text x={d.x + 9} y={d.y + 4}>{d.names.map((n) => pointNames[n]).join(', ')}</text></g>
      ))}
    </svg>
  )
}
