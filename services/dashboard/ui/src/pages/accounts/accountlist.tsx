import { useEffect, useState } from 'preact/hooks'
import { callApi, type Nano, useApi } from '../../api'
import { Time } from '../../components/basics'
import { formatRateLimits, Spend } from '../../components/limits'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { params, setParams } from '../../router'
import type { Items } from '../../types'
import { accountURL, type ListedAccount, selectAccounts, sorts } from './account'

const firstPage = '/accounts?limit=200'

export function AccountList() {
  const loaded = useApi<Items<ListedAccount>>(firstPage)
  return <Await of={loaded}>{(d) => <List first={d} />}</Await>
}

/** Shows the loaded accounts. Searching and sorting cover only these. */
function List({ first }: { first: Items<ListedAccount> }) {
  const [more, setMore] = useState<ListedAccount[]>([])
  const [next, setNext] = useState(first.next_cursor ?? null)
  useEffect(() => { setMore([]); setNext(first.next_cursor ?? null) }, [first])
  const load = async () => {
    const page = await callApi<Items<ListedAccount>>('GET', `${firstPage}&cursor=${encodeURIComponent(next!)}`)
    setMore([...more, ...page.items])
    setNext(page.next_cursor ?? null)
  }
  const all = [...first.items, ...more]
  const text = params.value.get('q') ?? '', sort = params.value.get('sort') ?? 'month'
  const shown = selectAccounts(all, text, sort)
  const month = all.reduce((n, a) => n + BigInt(a.spent.month.nano_usd), 0n)
  return (
    <>
      <p class="headline">{pluralize(all.length, 'account')}{next ? ' loaded so far' : ''} spent <b><Total nano={month as Nano} /></b> this month (UTC).</p>
      <form class="line" role="search" onSubmit={(e) => e.preventDefault()}>
        <label class="sr" for="account-search">Find an account by name or ID</label>
        <input id="account-search" type="search" placeholder="Name or ID" value={text} autocomplete="off" onInput={(e) => setParams({ q: e.currentTarget.value }, 'replace')} />
      </form>
      {shown.length === 0 ? <p>No {next ? 'loaded ' : ''}account has “{text}” in its name or ID.</p> : <Table accounts={shown} sort={sort} />}
      {next ? <p><button type="button" class="button" onClick={() => void load()}>Load more accounts</button></p> : null}
      <p class="soft">An operator sees what other accounts spend, but not their requests. Owners of an account set its limits. <a href="/docs/limits">How limits work</a></p>
    </>
  )
}

function Table({ accounts, sort }: { accounts: ListedAccount[]; sort: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Accounts">
      <table class="table accounts">
        <thead><tr><Header id="name" name="Account" sort={sort} /><Header id="day" name="Today" sort={sort} /><Header id="month" name="This month" sort={sort} /><th scope="col">Rate limits</th><Header id="created" name="Created" sort={sort} /></tr></thead>
        <tbody>
          {accounts.map((a) => (
            <tr key={a.id}>
              <td class="group"><a href={accountURL(a.id)}>{escapeInvisible(a.name) || a.id}</a>{a.operator ? <> <span class="chip plain">Operator</span></> : null}</td>
              <td><Spend spent={a.spent.day} of={a.limits.nano_usd_per_day} period="today" /></td>
              <td><Spend spent={a.spent.month} of={a.limits.nano_usd_per_month} period="this month" /></td>
              <td>{formatRateLimits(a.limits) || <span class="soft">None</span>}</td>
              <td>{a.created_at ? <Time at={a.created_at} as="relative" /> : '—'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Header({ id, name, sort }: { id: keyof typeof sorts & string; name: string; sort: string }) {
  return (
    <th scope="col" aria-sort={sort === id ? (id === 'name' ? 'ascending' : 'descending') : undefined}>
      <button type="button" onClick={() => setParams({ sort: id === 'month' ? null : id }, 'replace')}>{name}{sort === id ? (id === 'name' ? ' ↑' : ' ↓') : ''}</button>
    </th>
  )
}
