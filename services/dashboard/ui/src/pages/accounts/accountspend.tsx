// The spend of one account over time, as the operator sees it.
import { useApi, useApiWithPrevious } from '../../api'
import { BudgetMeters, formatRateLimits } from '../../components/limits'
import { Total } from '../../components/money'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { currentRange, rangeQuery } from '../../range'
import { buildURL, navigate, params, withParams } from '../../router'
import type { Items } from '../../types'
import { findGrouping } from '../impact/groups'
import { SpendChart } from '../spend/spendchart'
import { SpendTable } from '../spend/table'
import type { SpendData } from '../spend/types'
import { accountURL, type ListedAccount } from './account'

const defaultRange = '30d'
const groupings = ['key', 'model', 'provider'].map(findGrouping)

export function AccountSpend({ id }: { id: string }) {
  const r = currentRange(defaultRange)
  const by = groupings.find((g) => g.by === params.value.get('by')) ?? groupings[0]!
  const loaded = useApiWithPrevious<SpendData & { account: { name: string } }>(buildURL(`${accountURL(id)}/spend`, { group_by: by.by, ...rangeQuery(r) }))
  const listed = useApi<Items<ListedAccount>>('/accounts?limit=200').data?.items ?? []
  return (
    <>
      <div class="line pagetools"><RangePicker defaultRange={defaultRange} /></div>
      <nav class="line" aria-label="Accounts">
        <a href="/accounts">All accounts</a>
        {listed.some((a) => a.id === id) ? <AccountSwitch id={id} all={listed} /> : null}
      </nav>
      <Await of={loaded}>
        {(d) => (
          <>
            <h2 class="headline">{escapeInvisible(d.account.name)}</h2>
            <Budgets account={listed.find((a) => a.id === id)} />
            {d.requests === 0 ? <p>No requests in this range.</p> : (
              <section class="stack" aria-label="Spend">
                <p>{pluralize(d.requests, 'request')} cost <b><Total nano={d.routed_nano_usd} /></b>.</p>
                <nav class="by" aria-label="Group by">{groupings.map((g) => <a key={g.by} href={withParams({ by: g === groupings[0] ? null : g.by })} aria-current={g === by ? 'true' : undefined}>{g.name}</a>)}</nav>
                <SpendChart data={d} by={by} scope={null} />
                <SpendTable data={d} by={by} scope={null} />
              </section>
            )}
          </>
        )}
      </Await>
    </>
  )
}

/** Opens another account with the same range and grouping. */
function AccountSwitch({ id, all }: { id: string; all: ListedAccount[] }) {
  const open = (e: Event) => {
    const to = (e.currentTarget as HTMLSelectElement).value
    if (to !== id) navigate(accountURL(to) + location.search)
  }
  return (
    <>
      <label for="account-switch">Account</label>
      <select id="account-switch" value={id} onChange={open}>{all.map((a) => <option key={a.id} value={a.id}>{escapeInvisible(a.name) || a.id}</option>)}</select>
    </>
  )
}

function Budgets({ account: a }: { account: ListedAccount | undefined }) {
  if (!a) return null
  return (
    <>
      <BudgetMeters of={{ limits: a.limits, spent: a.spent, refusals: [] }} />
      <p class="soft">Rate limits: {formatRateLimits(a.limits) || 'none'}.</p>
    </>
  )
}
