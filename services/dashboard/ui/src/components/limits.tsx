// Components for limits: the spend compared with a budget, the requests that a
// limit rejected, and the form fields.
import { capitalizeSentence, escapeInvisible, formatCount } from '../format'
import { type LimitDraft, limitFields, type Limits, type Rejection, type Spent, type Usage } from '../limits'
import { formatExact, formatShare, formatTotal, percentOf } from '../money'
import type { Mutation } from '../mutation'
import { Time, UsageBar } from './basics'
import { TextField } from './fields'
import { Total } from './money'

/** The spend of a period. With a limit it has a usage bar. */
export function Spend({ spent, of, period }: { spent: Spent; of: number; period: string }) {
  if (of === 0) return <span class="spend"><Total nano={spent.nano_usd} /></span>
  return (
    <span class="spend">
      <span><Total nano={spent.nano_usd} /> <span class="soft">of {formatTotal(of)}</span></span>
      <UsageBar used={percentOf(spent.nano_usd, of) ?? 0} of={100} label={`${formatExact(spent.nano_usd)} of ${formatExact(of)} ${period}`} />
    </span>
  )
}

const periods = [['day', 'Today', 'nano_usd_per_day'], ['month', 'This month', 'nano_usd_per_month']] as const

/** The spend of the day and of the month, compared with their budgets. */
export function BudgetMeters({ of: u }: { of: Usage }) {
  return (
    <dl class="meters">
      {periods.map(([span, name, limit]) => (
        <div key={span}>
          <dt>{name}</dt>
          <dd class="figure"><Spend spent={u.spent[span]} of={u.limits[limit]} period={name.toLowerCase()} /></dd>
          <dd class="meta">
            {u.limits[limit] === 0 ? 'No limit · spend resets' : `${formatShare(u.spent[span].nano_usd, u.limits[limit])} used · resets`} <Time at={u.spent[span].resets_at} as="relative" />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const rateLimits = [['requests_per_minute', 'requests/min'], ['tokens_per_minute', 'tokens/min'], ['concurrent_requests', 'concurrent']] as const

/** Returns the rate and concurrency limits in words; an empty string if there are none. */
export const formatRateLimits = (l: Pick<Limits, (typeof rateLimits)[number][0]>): string =>
  rateLimits.filter(([name]) => l[name] > 0).map(([name, what]) => `${formatCount(l[name])} ${what}`).join(' · ')

const causeTexts: Record<string, string> = {
  requests_per_minute: 'too many requests per minute', tokens_per_minute: 'too many tokens per minute', concurrent_requests: 'too many concurrent requests',
  nano_usd_per_day: 'daily budget exceeded', nano_usd_per_month: 'monthly budget exceeded',
}

/** Why a request was rejected. If the limit is unknown, this is the message that the client received. */
const describeRejection = (r: Rejection): string => `${(r.scope !== 'budget' && causeTexts[r.name ?? '']) || escapeInvisible(r.error)}${r.scope === 'account' ? ' (account limit)' : ''}`

/** The newest rejected requests, each with a link to its record. If names is given, each row starts with the key's name. */
export function Rejections({ all, names }: { all: Rejection[]; names?: Map<string, string> }) {
  return (
    <ul class="rejections" aria-label="Recently rejected requests">
      {all.map((r) => (
        <li key={r.request_id}>
          <Time at={r.time} as="relative" />
          <span>{names ? <><b>{escapeInvisible(names.get(r.key_id) ?? 'Unknown key')}</b>: {describeRejection(r)}</> : capitalizeSentence(describeRejection(r))} <span class="mono meta">{r.code}</span></span>
          <a href={'/requests/' + r.request_id} aria-label={`View the request rejected at ${r.time}`}>View</a>
        </li>
      ))}
    </ul>
  )
}

/** The form fields of all limits. */
export function LimitFields({ draft, set, mutation, disabled = false }: { draft: LimitDraft; set: (d: Partial<LimitDraft>) => void; mutation: Mutation; disabled?: boolean }) {
  const findFieldError = (name: string) => mutation.fieldError(name) ?? mutation.fieldError('limits.' + name) ?? mutation.fieldError('budget.' + name)
  return (
    <div class="pairs three">
      {limitFields.map(([name, field, label]) => (
        <TextField key={name} label={label} numeric disabled={disabled} value={draft[field]} error={findFieldError(name)} onChange={(v) => set({ [field]: v })} />
      ))}
    </div>
  )
}
