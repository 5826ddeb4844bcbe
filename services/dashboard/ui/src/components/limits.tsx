// Limits on a page: what is spent of them, whom they refused, and their fields.
import type { Doing } from '../doing'
import { count, visible } from '../format'
import { limitFields, type LimitDraft, type Limits, type Refusal, type Spent, type Usage } from '../limits'
import { exact, ratio, share, total } from '../money'
import { Bar, Time } from './bits'
import { TextField } from './fields'
import { Total } from './money'

/** What was spent in a span; without a limit there is nothing that could be full. */
export function Spend({ spent, of, word }: { spent: Spent; of: number; word: string }) {
  if (of === 0) return <span class="spend"><Total nano={spent.nano_usd} /></span>
  return (
    <span class="spend">
      <span><Total nano={spent.nano_usd} /> <span class="soft">of {total(of)}</span></span>
      <Bar used={ratio(spent.nano_usd, of) ?? 0} of={100} label={`${exact(spent.nano_usd)} of ${exact(of)} ${word}`} />
    </span>
  )
}

const spans = [['day', 'Today', 'nano_usd_per_day'], ['month', 'This month', 'nano_usd_per_month']] as const

/** The budgets and what is left of them. */
export function Meters({ of: u }: { of: Usage }) {
  return (
    <dl class="meters">
      {spans.map(([span, name, limit]) => (
        <div key={span}>
          <dt>{name}</dt>
          <dd class="figure"><Spend spent={u.spent[span]} of={u.limits[limit]} word={name.toLowerCase()} /></dd>
          <dd class="meta">
            {u.limits[limit] === 0 ? 'no limit' : `${share(u.spent[span].nano_usd, u.limits[limit])} used`} · {span === 'day' ? 'the next day' : 'the next month'} begins <Time at={u.spent[span].resets_at} as="relative" />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const rates = [['requests_per_minute', 'requests/min'], ['tokens_per_minute', 'tokens/min'], ['concurrent_requests', 'at once']] as const

/** The limits that are not money, in words; empty if there is none. */
export const rateWords = (l: Pick<Limits, (typeof rates)[number][0]>): string =>
  rates.filter(([name]) => l[name] > 0).map(([name, what]) => `${count(l[name])} ${what}`).join(' · ')

const causes: Record<string, string> = {
  requests_per_minute: 'too many requests a minute', tokens_per_minute: 'too many tokens a minute', concurrent_requests: 'too many at the same time',
  nano_usd_per_day: 'the budget of the day did not cover it', nano_usd_per_month: 'the budget of the month did not cover it',
}

/** Why a request was refused, in words; where the limit is not known, in those that the client got. */
const cause = (r: Refusal): string => `${causes[r.name ?? ''] ?? visible(r.error)}${r.scope === 'account' ? ', all keys together' : ''}`

/** Who was refused lately, with the names of the keys where there are several; each opens its record. */
export function Refusals({ all, names }: { all: Refusal[]; names?: Map<string, string> }) {
  return (
    <ul class="refusals" aria-label="Refused lately">
      {all.map((r) => (
        <li key={r.request_id}>
          <Time at={r.time} as="relative" />
          <span>{names ? <><b>{visible(names.get(r.key_id) ?? 'A key')}</b>: </> : null}{cause(r)} <span class="mono meta">{r.code}</span></span>
          <a href={'/requests/' + r.request_id} aria-label={`Open the request refused ${r.time}`}>Open</a>
        </li>
      ))}
    </ul>
  )
}

/** The fields of limits, as somebody types them. */
export function LimitFields({ draft, set, doing, off = false }: { draft: LimitDraft; set: (d: Partial<LimitDraft>) => void; doing: Doing; off?: boolean }) {
  const wrong = (name: string) => doing.wrong(name) ?? doing.wrong('limits.' + name) ?? doing.wrong('budget.' + name)
  return (
    <div class="pairs three">
      {limitFields.map(([name, field, label]) => (
        <TextField key={name} label={label} number off={off} value={draft[field]} wrong={wrong(name)} onChange={(v) => set({ [field]: v })} />
      ))}
    </div>
  )
}
