// What the current UTC month will cost, compared with the budgets.
import type { ComponentChildren } from 'preact'
import { type Nano, useApi } from '../../api'
import { Time, UsageBar } from '../../components/basics'
import { Total } from '../../components/money'
import { ErrorBox } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { formatExact, formatPercent, percentOf } from '../../money'
import { narrowFilter, requestsURL } from '../../requestlinks'
import type { Items } from '../../types'
import { type Budget, forecastBudgets } from '../account/budget'
import type { Forecast, MonthForecast } from './types'

/** The name of the month. Budgets use UTC months. */
export const monthName = (m: MonthForecast): string => new Date(m.from).toLocaleDateString('en-US', { month: 'long', timeZone: 'UTC' })

/** The range of the month, as a filter of the requests. */
const monthRange = (m: MonthForecast): string => `${m.from.slice(0, 10)}..${m.to.slice(0, 10)}`

/** The share of the budget that the forecast uses, in percent; null without a budget or a forecast. */
export const forecastShare = (f: Forecast): number | null => (f.budget_nano_usd === null || f.forecast_nano_usd === null ? null : percentOf(f.forecast_nano_usd, f.budget_nano_usd))

/** groupBudgets is the number of the account's group budgets. */
export function ForecastSentence({ month: m, groupBudgets }: { month: MonthForecast; groupBudgets: number }) {
  const a = m.account
  return (
    <p>
      {monthName(m)} (UTC) has cost <a href={requestsURL('', monthRange(m))}><Total nano={a.spent_nano_usd} /></a> so far.{' '}
      {a.forecast_nano_usd === null
        ? 'A forecast needs one complete day of spend.'
        : <>At the average of {a.days === 1 ? 'the last complete day' : `the last ${a.days} complete days`}, <Total nano={a.per_day_nano_usd} /> per day, it will cost about <b><Total nano={a.forecast_nano_usd} /></b>.</>}{' '}
      <BudgetNote of={a} />{groupBudgets > 0 ? <>{' '}The account also has <a href="/account/budgets">{pluralize(groupBudgets, 'group budget')}</a>.</> : null}
    </p>
  )
}

function BudgetNote({ of: f }: { of: Forecast }) {
  const share = forecastShare(f)
  if (f.budget_nano_usd === null) return <>The account has no monthly budget. <a href="/account#limits">Set one</a>.</>
  if (BigInt(f.spent_nano_usd) >= BigInt(f.budget_nano_usd)) return <b class="lost">The budget of <Total nano={f.budget_nano_usd} /> is used up.</b>
  if (f.reached_at) return <b class="lost">The budget of <Total nano={f.budget_nano_usd} /> will be used up about <Time at={f.reached_at} as="moment" />.</b>
  return <>{share === null ? `So far, ${formatPercent(percentOf(f.spent_nano_usd, f.budget_nano_usd) ?? 0)} is spent of the` : `That is ${formatPercent(share)} of the`} budget of <Total nano={f.budget_nano_usd} />.</>
}

/** The spend and the forecast of each key with spend or a budget this month. */
export function KeyForecasts({ month: m }: { month: MonthForecast }) {
  if (m.keys.length === 0) return null
  const rows = [...m.keys].sort((a, b) => (forecastShare(b) ?? -1) - (forecastShare(a) ?? -1) || (BigInt(a.spent_nano_usd) < BigInt(b.spent_nano_usd) ? 1 : -1))
  return (
    <section class="stack" aria-labelledby="month">
      <h2 id="month">{monthName(m)} by key, against budgets</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Spend and forecast of the month by key">
        <table class="table forecasts">
          <thead><tr><th scope="col">Key</th><th scope="col" class="num">Spent so far</th><th scope="col" class="num">Forecast</th><th scope="col" class="num">Monthly budget</th><th scope="col">Share of budget</th></tr></thead>
          <tbody>{rows.map((k) => <KeyRow key={k.id} k={k} range={monthRange(m)} />)}</tbody>
        </table>
      </div>
      <p class="soft">The forecast adds the average of the last complete days, at most seven, for each day that is left. It covers all requests of the account, without the filter above.</p>
    </section>
  )
}

/** The group budgets per month, with what they will have used at its end. */
export function BudgetForecasts({ month: m }: { month: MonthForecast }) {
  const loaded = useApi<Items<Budget>>('/budgets')
  const rows = forecastBudgets(loaded.data?.items ?? [], m.from, m.to, Date.now())
  if (loaded.error) return <ErrorBox error={loaded.error} onRetry={loaded.reload} />
  if (rows.length === 0) return null
  return (
    <section class="stack" aria-labelledby="month-groups">
      <h2 id="month-groups">{monthName(m)} by group budget</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Spend and forecast of the month by group budget">
        <table class="table forecasts">
          <thead><tr><th scope="col">Budget</th><th scope="col" class="num">Spent so far</th><th scope="col" class="num">Forecast</th><th scope="col" class="num">Monthly budget</th><th scope="col">Share of budget</th></tr></thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.budget.id + r.member}>
                <td class="group"><a href="/account/budgets">{escapeInvisible(r.budget.name)}</a>{r.member ? <span class="soft"> · {escapeInvisible(r.member)}</span> : null}</td>
                <td class="num"><Total nano={r.spent} /></td>
                <td class="num">{r.forecast === null ? <span class="soft" title="A forecast needs one complete day">—</span> : <Total nano={r.forecast} />}</td>
                <td class="num"><Total nano={r.limit} /></td>
                <td><BudgetShare spent={r.spent} forecast={r.forecast} limit={r.limit} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">The forecast continues the average of the month so far. A budget counts from when it was set.</p>
    </section>
  )
}

/** The share of a budget that the forecast uses or, without a forecast, that is spent. */
export function BudgetShare({ spent, forecast, limit, children }: { spent: Nano; forecast: Nano | null; limit: Nano; children?: ComponentChildren }) {
  const used = percentOf(forecast ?? spent, limit) ?? 0
  const what = forecast === null ? 'spent' : 'forecast'
  return <><UsageBar used={used} of={100} label={`${formatPercent(used)} of ${formatExact(limit)} ${what}`} /><span class="meta">{formatPercent(used)} {what}{children}</span></>
}

function KeyRow({ k, range }: { k: MonthForecast['keys'][number]; range: string }) {
  const filter = narrowFilter('', 'key', k.id)
  return (
    <tr>
      <td class="group"><a href={'/keys/' + k.id}>{escapeInvisible(k.name)}</a></td>
      <td class="num">{filter === null ? <Total nano={k.spent_nano_usd} /> : <a href={requestsURL(filter, range)}><Total nano={k.spent_nano_usd} /></a>}</td>
      <td class="num">{k.forecast_nano_usd === null ? <span class="soft" title="A forecast needs one complete day of spend">—</span> : <Total nano={k.forecast_nano_usd} />}</td>
      <td class="num">{k.budget_nano_usd === null ? <span class="soft">No budget</span> : <Total nano={k.budget_nano_usd} />}</td>
      <td><BudgetUse of={k} /></td>
    </tr>
  )
}

function BudgetUse({ of: f }: { of: Forecast }) {
  if (f.budget_nano_usd === null) return null
  return (
    <BudgetShare spent={f.spent_nano_usd} forecast={f.forecast_nano_usd} limit={f.budget_nano_usd}>
      {f.reached_at ? <span class="lost">, used up {BigInt(f.spent_nano_usd) >= BigInt(f.budget_nano_usd) ? 'now' : <Time at={f.reached_at} as="relative" />}</span> : null}
    </BudgetShare>
  )
}
