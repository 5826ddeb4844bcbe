// Cost against predicted quality for the requests of this installation, with the active policy among the positions.
import { useApi } from '../../api'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { formatPercent, formatShare } from '../../money'
import { buildURL } from '../../router'
import { floorOf, floorParam } from '../policy/floor'
import type { RuleList } from '../policy/types'
import { findCheaper, type FrontierData, formatCostChange, formatQualityChange, type Point, pointNames } from './dial'
import { labelOffset, placePoints } from './drawing'

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
  const active = f.points.find((p) => p.name === 'today')
  if (!active && f.skipped > 0) return <p>{formatCount(f.skipped)} requests for <code>auto</code> are left out, because a price or a predicted quality is missing. <a href="/docs/policy#models">Give the models of the policy a price and a quality</a>, then look again.</p>
  if (!active) return <p>No request of the last 7 days can be replayed. Send requests with the model <code>auto</code>, then look again.</p>
  return (
    <>
      <p>What your newest {formatCount(f.requests)} requests for <code>auto</code> of the last 7 days would have cost with other positions of the dial, and how good the responses are expected to be. No provider was called.</p>
      <CheaperHint of={f.points} active={active} />
      <Drawing points={f.points} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Positions of the dial">
        <table class="table">
          <thead><tr><th scope="col">Position</th><th scope="col" class="num">Cost</th><th scope="col" class="num">Against the active policy</th><th scope="col" class="num">Predicted quality</th><th scope="col" class="num">Against the active policy</th></tr></thead>
          <tbody>{f.points.map((p) => <PointRow key={p.name} of={p} active={active} />)}</tbody>
        </table>
      </div>
      <TryQuality />
      <p class="meta">
        To move the dial, change the <a href="/docs/policy#aims">aim</a> of the route, or request a preset such as <code>auto:economy</code>. The qualities are predictions; the table above shows what was measured.
        {f.skipped > 0 ? ` ${formatCount(f.skipped)} requests are left out, because a price or prediction is missing.` : ''}
      </p>
    </>
  )
}

/** The largest saving that a position of the dial promises. */
function CheaperHint({ of: points, active }: { of: Point[]; active: Point }) {
  const cheaper = findCheaper(points, active)
  if (!cheaper) return <p>No position costs less than the active policy.</p>
  const saved = active.cost_nano_usd - cheaper.cost_nano_usd
  return <p><b>{pointNames[cheaper.name]} instead of the active policy saves <Total nano={saved} /></b> of <Total nano={active.cost_nano_usd} /> ({formatShare(saved, active.cost_nano_usd)}). Predicted quality: {formatQualityChange(cheaper, active)}.</p>
}

/** Links to the form that replays requests with another quality of a rule. */
function TryQuality() {
  const rule = useApi<RuleList>('/policy/rules').data?.items.find((r) => floorOf(r) !== null)
  if (!rule) return <p>To see what another value would have saved, such as a quality of 0.9 instead of 0.97, change it in the <a href="/policy">policy</a> and select “Replay last 7 days”.</p>
  return <p>The rule {escapeInvisible(rule.name ?? rule.label)} asks for a quality of {floorOf(rule)!.value}. <a href={buildURL('/policy', { quality_of: floorParam(rule) })}>See what another value would have saved</a></p>
}

function PointRow({ of: p, active }: { of: Point; active: Point }) {
  return (
    <tr class={p === active ? 'total' : undefined}>
      <th scope="row">{pointNames[p.name]}</th>
      <td class="num"><Total nano={p.cost_nano_usd} /></td>
      <td class="num">{p === active ? '' : formatCostChange(p, active)}</td>
      <td class="num">{formatPercent(100 * p.quality)}</td>
      <td class="num">{p === active ? '' : formatQualityChange(p, active)}{p.dominated ? <span class="meta"> another is better and cheaper</span> : null}</td>
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
        <g key={d.point.name} class={d.point.name === 'today' ? 'now' : undefined}><circle cx={d.x} cy={d.y} r={5} /><text x={d.x + labelOffset} y={d.labelY + 4}>{pointNames[d.point.name]}</text></g>
      ))}
    </svg>
  )
}
