// The cost of each request of a session as a bar, and the cost so far as a line.
import { formatTotal } from '../../money'
import { summarizeTurns, type Turn } from './turns'

const [width, height] = [12, 96]

export function CostChart({ turns }: { turns: Turn[] }) {
  const summary = summarizeTurns(turns, formatTotal)
  const total = turns.at(-1)?.total ?? 0n
  const y = (part: number) => height - Math.max(part > 0 ? 1.5 : 0, part * (height - 6))
  const line = turns.map((t, i) => `${i * width + width / 2},${y(total === 0n ? 0 : Number(t.total) / Number(total))}`).join(' ')
  return (
    <figure class="chart costchart" aria-label="Cost of each request">
      <figcaption>
        <span>{summary}</span>
        <span class="legend" aria-hidden="true">
          <span><i class="ofturn" />Turn</span><span><i class="ofsidecall" />Side call</span><span><i class="offailure" />Error</span><span><i class="sofar" />Total so far</span><span><i class="ofchange" />Model changed</span>
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${Math.max(turns.length, 24) * width} ${height}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {turns.map((t, i) => (
          <g key={t.request.id}>
            {t.changedFrom ? <line x1={i * width + 1} x2={i * width + 1} y1={0} y2={height} /> : null}
            <rect class={barClass(t)} x={i * width + 2} width={width - 4} y={y(t.share)} height={height - y(t.share)} />
          </g>
        ))}
        <polyline class="sofar" points={line} />
      </svg>
    </figure>
  )
}

const barClass = (t: Turn): string => (t.request.outcome !== 'ok' && t.request.outcome !== 'client_closed' ? 'offailure' : t.number === null ? 'ofsidecall' : 'ofturn')
