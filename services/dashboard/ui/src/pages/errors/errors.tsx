// Why requests failed or were rejected: what to do about each cause, then what happened and its trend.
import { useApiWithPrevious } from '../../api'
import { Time } from '../../components/basics'
import { RangePicker } from '../../components/rangepicker'
import { Await, EmptyState } from '../../components/states'
import { capitalizeSentence, escapeInvisible, formatCount, pluralize } from '../../format'
import { currentRange, rangeQuery } from '../../range'
import { requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import { barHeights, type Cause, codeFilter, type CodeCount, describeSilence, describeTrend, type ErrorsData, precedingRange, splitSentence } from './cause'

export function Errors() {
  const r = currentRange()
  const loaded = useApiWithPrevious<ErrorsData>(buildURL('/errors', rangeQuery(r)))
  return (
    <>
      <div class="line pagetools"><RangePicker /></div>
      <Await of={loaded}>
        {(d) => d.requests === 0 ? (
          <EmptyState title="No errors in this range">
            <p>No request failed, and none was rejected. <a href="/alerts">Alerts</a> tell you when that changes.</p>
          </EmptyState>
        ) : <Causes data={d} range={r.text} />}
      </Await>
    </>
  )
}

function Causes({ data: d, range }: { data: ErrorsData; range: string }) {
  return (
    <>
      <p class="headline"><a href={requestsURL('has:error', range)}>{pluralize(d.requests, 'request')}</a> failed or {d.requests === 1 ? 'was' : 'were'} rejected, for {pluralize(d.items.length + d.other_groups, 'reason')}.</p>
      <Codes codes={d.codes} range={range} />
      <ul class="causes">{d.items.map((c, i) => <CauseItem key={i} data={d} cause={c} range={range} />)}</ul>
      {d.other_groups > 0 ? <p class="soft">{pluralize(d.other_groups, 'rarer reason')} with {pluralize(d.other_requests, 'request')} {d.other_groups === 1 ? 'is' : 'are'} not listed. Choose a shorter range to see more.</p> : null}
    </>
  )
}

/** The requests of each code, as the overview counts them. The list below splits a code into its causes. */
export function Codes({ codes, range }: { codes: CodeCount[]; range: string }) {
  return (
    <ul class="codes" aria-label="Requests by error code">
      {codes.map(({ code, requests }) => {
        const filter = codeFilter(code)
        const text = <><span class="mono">{escapeInvisible(code ?? 'No code')}</span> {formatCount(requests)}</>
        return <li key={code}>{filter === null ? text : <a href={requestsURL(filter, range)}>{text}</a>}</li>
      })}
    </ul>
  )
}

function CauseItem({ data: d, cause: c, range }: { data: ErrorsData; cause: Cause; range: string }) {
  const [count, rest] = splitSentence(c)
  const silence = describeSilence(d.to, c.last_seen)
  return (
    <li>
      <Trend data={d} cause={c} />
      <p class="told"><b>{escapeInvisible(capitalizeSentence(c.action))}.</b> {silence ? <><span class="chip plain">{silence}</span> </> : null}{c.filter === null ? count : <a href={requestsURL(c.filter, range)}>{count}</a>}{escapeInvisible(rest)}.</p>
      <p class="meta">
        <a class="mono" href={c.docs}>{escapeInvisible(c.code ?? 'No code')}</a> · <Change data={d} cause={c} /> · last seen <Time at={c.last_seen} as="relative" />
      </p>
      <a class="button small" href={c.next_step.link}>{escapeInvisible(c.next_step.text)}</a>
    </li>
  )
}

export function Change({ data: d, cause: c }: { data: ErrorsData; cause: Cause }) {
  const trend = describeTrend(c.requests, c.before)
  if (c.before === 0) return <span>{trend.word} in this range, since <Time at={c.first_seen} as="moment" /></span>
  const before = formatCount(c.before)
  return <span>{trend.word} {c.filter === null ? before : <a href={requestsURL(c.filter, precedingRange(d.from, d.to))}>{before}</a>} in the period before</span>
}

/** The requests over time as small bars. The sentence beside it has the number. */
function Trend({ data: d, cause: c }: { data: ErrorsData; cause: Cause }) {
  const bars = barHeights(d, c)
  return (
    <svg class="spark" viewBox={`0 0 ${bars.length} 20`} preserveAspectRatio="none" role="img" aria-label={`${pluralize(c.steps.length, 'time step')} of ${bars.length} with this error`}>
      {bars.map((h, i) => h > 0 ? <rect key={i} x={i + 0.1} width="0.8" y={20 - Math.max(2, 20 * h)} height={Math.max(2, 20 * h)} /> : null)}
    </svg>
  )
}
