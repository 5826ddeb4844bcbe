import { Total } from '../../components/money'
import { SavingsPhrase, toCostTriple } from '../../components/savings'
import { escapeInvisible, pluralize } from '../../format'
import { formatTotals, percentOf } from '../../money'
import { rangeNames } from '../../range'
import { requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { OverviewData, Period, Scope } from './types'

/** What all requests cost, what the default model would have cost, and the savings. */
export function Headline({ data, scope }: { data: OverviewData; scope: Scope }) {
  const { now, before } = data
  const text = formatTotals(toCostTriple(now))
  return (
    <div class="stack">
      <p class="headline large">
        <a href={requestsURL(scope.filter, scope.range)}>{pluralize(now.requests, 'request')}</a> cost <b><Total nano={now.routed_nano_usd} as={text.routed} /></b>.
        Your default model would have cost <Total nano={now.baseline_nano_usd} as={text.baseline} />: <a href={buildURL('/impact', { q: scope.filter, range: scope.range })}><SavingsPhrase of={now} /></a>.
      </p>
      {data.quality ? <p><a href="/quality">{data.quality}</a></p> : null}
      {data.notices.map((n) => <p class="errorbox" role="status">{escapeInvisible(n.text)} <a href={n.link}>View</a></p>)}
      <p class="soft">{compareWithPrevious(now, before, scope.range)}</p>
    </div>
  )
}

/** Compares the range with the preceding range of the same length, in a sentence. */
function compareWithPrevious(now: Period, before: Period, range: string): string {
  const previous = `the previous ${rangeNames[range]?.replace('Last ', '') ?? 'period of the same length'}`
  if (before.requests === 0) return `No requests in ${previous}.`
  const savedShare = (p: Period) => percentOf(p.saved_nano_usd, p.baseline_nano_usd)
  const was = savedShare(before)
  const points = was === null ? null : Math.round((savedShare(now) ?? 0) - was)
  const change = points === null ? '' : points === 0 ? '. The savings rate has not changed' : `. The savings rate is now ${pluralize(Math.abs(points), 'percentage point')} ${points > 0 ? 'higher' : 'lower'}`
  return `${pluralize(before.requests, 'request')} in ${previous}${change}.`
}
