// A group budget, as the API returns it, and its form fields.
import type { Nano } from '../../api'
import { parseDollars } from '../../limits'
import { formatExact } from '../../money'

export type Kind = 'tag' | 'user' | 'agent' | 'key'

/** The windows of a budget: name in the API, field of the amounts, label, and name in a sentence. */
export const windows = [
  ['hour', 'nano_usd_per_hour', 'Dollars per hour', 'this hour'],
  ['day', 'nano_usd_per_day', 'Dollars per day', 'today'],
  ['week', 'nano_usd_per_week', 'Dollars per week', 'this week'],
  ['month', 'nano_usd_per_month', 'Dollars per month', 'this month'],
  ['total', 'nano_usd_total', 'Prepaid dollars', 'in total'],
] as const

export type Window = (typeof windows)[number][0]
export type AmountField = (typeof windows)[number][1]

export interface Budget {
  id: string
  name: string
  kind: Kind
  value: string
  amounts: Record<AmountField, Nano>
  /** The spend of each member in the current period of each window, the highest first. */
  spent: { member: string | null; window: Window; period: string; nano_usd: Nano; limit_nano_usd: Nano }[]
}

export const each = '*'

const kindNames: Record<Kind, string> = { tag: 'tag', user: 'user', agent: 'agent', key: 'key' }

/** The requests to which a budget applies, in words. */
export function describeSelector(b: Pick<Budget, 'kind' | 'value'>): string {
  return b.value === each ? `each ${kindNames[b.kind]}` : `${kindNames[b.kind]} ${b.value}`
}

export interface Meter {
  /** The key, user or agent; null for a budget of one value, and for requests that name none. */
  member: string | null
  window: Window
  phrase: string
  spent: Nano
  limit: Nano
}

/** Returns a meter for each window of a budget. A budget for each value has the meters of the members that have spent most. */
export function listMeters(b: Budget, most = 5): Meter[] {
  return windows.flatMap(([window, field, , phrase]) => {
    const limit = b.amounts[field]
    if (BigInt(limit) === 0n) return []
    const spent = b.spent.filter((s) => s.window === window).slice(0, most)
    if (spent.length === 0) return [{ member: null, window, phrase, spent: 0, limit }]
    return spent.map((s) => ({ member: s.member, window, phrase, spent: s.nano_usd, limit }))
  })
}

/** Names the member of a meter. */
export function describeMember(b: Pick<Budget, 'kind' | 'value'>, m: Meter, keyNames: Map<string, string>): string {
  if (b.value !== each) return ''
  if (m.member === null) return BigInt(m.spent) === 0n ? 'nothing spent' : `no ${kindNames[b.kind]}`
  return b.kind === 'key' ? keyNames.get(m.member) ?? m.member : m.member
}

/** What a budget needs to know about a key. */
interface KeyOfBudget {
  id: string
  tags: string[]
  user: string | null
  agent: string | null
}

/** The budgets that count the requests with a key, each with the meters that concern it. A budget for users or agents that clients name, and one for each user or agent, has no meter here. */
export function budgetsOfKey(budgets: Budget[], k: KeyOfBudget): { budget: Budget; meters: Meter[] }[] {
  return budgets.flatMap((budget) => {
    const values = { tag: k.tags, user: k.user === null ? null : [k.user], agent: k.agent === null ? null : [k.agent], key: [k.id] }[budget.kind]
    const isForEach = budget.value === each
    if (values === null || (isForEach && budget.kind !== 'key')) return values?.length === 0 ? [] : [{ budget, meters: [] }]
    if (!isForEach && !values.includes(budget.value)) return []
    return [{ budget, meters: listMeters(isForEach ? { ...budget, spent: budget.spent.filter((s) => s.member === k.id) } : budget) }]
  })
}

export interface BudgetForecast extends Meter {
  budget: Budget
  /** What the member will have spent at the end of the month, at the average of the month so far; null on its first day. */
  forecast: bigint | null
}

/** The members of all budgets per month, those that will use the largest share first. */
export function forecastBudgets(budgets: Budget[], from: string, to: string, now: number): BudgetForecast[] {
  const begin = Date.parse(from), elapsed = now - begin, whole = Date.parse(to) - begin
  const canForecast = elapsed >= 86_400_000 && elapsed < whole
  const rows = budgets.flatMap((budget) => listMeters(budget).filter((m) => m.window === 'month').map((m) => ({
    ...m, budget, forecast: canForecast ? (BigInt(m.spent) * BigInt(whole)) / BigInt(Math.round(elapsed)) : null,
  })))
  const share = (r: BudgetForecast) => Number(r.forecast ?? r.spent) / Number(r.limit)
  return rows.sort((a, b) => share(b) - share(a))
}

/** A budget as typed into a form. An empty amount means no limit. */
export interface BudgetDraft extends Record<Window, string> {
  name: string
  kind: Kind
  value: string
}

export const emptyBudget: BudgetDraft = { name: '', kind: 'tag', value: '', hour: '', day: '', week: '', month: '', total: '' }

const typedAmount = (nano: Nano): string => (BigInt(nano) === 0n ? '' : formatExact(nano).slice(1).replaceAll(',', ''))

export function toBudgetDraft(b: Budget): BudgetDraft {
  const amounts = Object.fromEntries(windows.map(([window, field]) => [window, typedAmount(b.amounts[field])])) as Record<Window, string>
  return { name: b.name, kind: b.kind, value: b.value, ...amounts }
}

/** Returns the parameter and the error message of the first invalid field, or null. */
export function findBudgetError(d: BudgetDraft): { param: string; message: string } | null {
  for (const [window] of windows) {
    if (d[window].trim() && parseDollars(d[window]) === null) return { param: window, message: 'Enter an amount in dollars, such as 10 or 0.50, up to 9,000,000. Leave the field empty for no limit.' }
  }
  return null
}

/** Converts a draft into the API's request body. */
export function toBudgetBody(d: BudgetDraft) {
  const amounts = Object.fromEntries(windows.map(([window, field]) => [field, parseDollars(d[window]) ?? 0]))
  return { name: d.name.trim(), kind: d.kind, value: d.kind === 'key' ? each : d.value.trim(), amounts }
}
