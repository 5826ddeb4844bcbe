import { KeptWords, triple } from '../../components/kept'
import { Total } from '../../components/money'
import { plural } from '../../format'
import { ratio, totals } from '../../money'
import { words } from '../../range'
import { address } from '../../router'
import { rowsAt } from '../../rows'
import type { OverviewData, Period, Scope } from './overview'

/** What all requests cost, what they would have, and what that leaves. */
export function Headline({ data, scope }: { data: OverviewData; scope: Scope }) {
  const { now, before } = data
  const text = totals(triple(now))
  return (
    <div class="stack">
      <p class="headline large">
        <a href={rowsAt(scope.filter, scope.range)}>{plural(now.requests, 'request')}</a> cost <b><Total nano={now.routed_nano_usd} as={text.routed} /></b>.
        Your default model would have cost <Total nano={now.baseline_nano_usd} as={text.baseline} /> — <a href={address('/impact', { q: scope.filter, range: scope.range })}><KeptWords of={now} /></a>.
      </p>
      <p class="soft">{against(now, before, scope.range)}</p>
    </div>
  )
}

/** How that differs from the span before, in a sentence. */
function against(now: Period, before: Period, range: string): string {
  const span = words[range]?.replace('Last', 'the') ?? 'a span as long'
  if (before.requests === 0) return `There was no request in ${span} before.`
  const kept = (p: Period) => ratio(p.kept_nano_usd, p.baseline_nano_usd)
  const was = kept(before)
  const points = was === null ? null : Math.round((kept(now) ?? 0) - was)
  const change = points === null ? '' : points === 0 ? '; the part kept is the same' : `; the part kept is ${points > 0 ? '▲' : '▼'} ${plural(Math.abs(points), 'point')} ${points > 0 ? 'higher' : 'lower'} now`
  return `In ${span} before there ${before.requests === 1 ? 'was' : 'were'} ${plural(before.requests, 'request')}${change}.`
}
