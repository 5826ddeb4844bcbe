// The audit log: all changes to the account with their authors, newest first.
import { useEffect, useState } from 'preact/hooks'
import { useApi } from '../../api'
import { boot } from '../../boot'
import { Time } from '../../components/basics'
import { Form, SelectField, TextField } from '../../components/fields'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount, formatDateTime, shortenId } from '../../format'
import { formatExact } from '../../money'
import { explainMissingRole, hasRole } from '../../role'
import { buildURL, params, setParams } from '../../router'
import type { Items } from '../../types'
import { shortVersion } from '../policy/types'
import { LoadMore } from '../sessions/loadmore'
import { usePagedList } from '../sessions/pagedlist'
import { actionGroups, actionTexts, type AuditFilter, filterQuery, readFilter } from './auditactions'
import type { AuditEntry, User } from './types'

export function AuditLog() {
  if (!hasRole('owner')) return <p class="soft">{explainMissingRole('owner', 'view the audit log')}</p>
  return <FilteredLog />
}

function FilteredLog() {
  const filter = readFilter(params.value)
  const query = filterQuery(filter)
  const list = usePagedList<AuditEntry, Items<AuditEntry>>(buildURL('/audit', query), (page) => ({ items: page.items, next_cursor: page.next_cursor ?? null }))
  const isFiltered = Object.values(query).some(Boolean)
  return (
    <section class="stack" aria-label="Audit log">
      <FilterForm filter={filter} />
      <div class="line">
        {(['csv', 'ndjson'] as const).map((format) => <a key={format} class="button small" download href={buildURL('/api/v1/audit/export', { format, ...query })}>Export {format.toUpperCase()}</a>)}
        {isFiltered ? <button type="button" class="button small" onClick={() => setParams(cleared)}>Clear filter</button> : null}
      </div>
      <Await of={list.first} rows={6}>
        {() => list.items.length > 0 ? <><AuditEntries list={list.items} /><LoadMore list={list} what="entries" /></> : <p class="soft">{isFiltered ? 'No change matches the filter.' : 'No changes yet.'}</p>}
      </Await>
    </section>
  )
}

const cleared = { action: null, user: null, from: null, to: null }

/** The filter. A choice applies at once, typed text with Enter or when the field loses the focus. */
function FilterForm({ filter }: { filter: AuditFilter }) {
  const [user, setUser] = useState(filter.user)
  useEffect(() => setUser(filter.user), [filter.user])
  const people = useApi<Items<User>>('/users')
  const groups = actionGroups.filter((g) => !g.operator || boot.operator)
  const known = groups.some((g) => g.value === filter.action)
  const options = (known ? groups : [...groups, { value: filter.action, name: filter.action }]).map((g) => [g.value, g.name] as const)
  return (
    <Form class="line asked auditfilter" onSubmit={() => setParams({ user: user.trim() })} error={undefined} fieldParams={[]}>
      <SelectField label="Action" value={filter.action} options={options} onChange={(action) => setParams({ action })} />
      <div class="field" onBlurCapture={() => user.trim() !== filter.user && setParams({ user: user.trim() })}>
        <TextField label="User" value={user} list="auditusers" onChange={setUser} />
        <datalist id="auditusers">{(people.data?.items ?? []).map((p) => <option key={p.id} value={p.email} />)}</datalist>
      </div>
      <TextField label="From (UTC)" type="date" value={filter.from} onChange={(from) => setParams({ from }, 'replace')} />
      <TextField label="To (UTC)" type="date" value={filter.to} onChange={(to) => setParams({ to }, 'replace')} />
    </Form>
  )
}

interface Named { id: string; name: string }

function AuditEntries({ list }: { list: AuditEntry[] }) {
  const keys = useApi<Items<Named>>('/keys')
  const alerts = useApi<{ rules: Named[]; channels: Named[] }>(list.some((c) => c.action.startsWith('alert.')) ? '/alerts' : null)
  // An entry has only the fields that changed. Others of the same alert may have its name, also after it was deleted.
  const noted = list.flatMap((c) => { const name = c.after?.name ?? c.before?.name; return c.subject && typeof name === 'string' ? [{ id: c.subject, name }] : [] })
  const names = new Map([...noted, ...(keys.data?.items ?? []), ...(alerts.data?.rules ?? []), ...(alerts.data?.channels ?? [])].map((k) => [k.id, k.name]))
  return (
    <ol class="trail">
      {list.map((c) => (
        <li key={c.id}>
          <Time at={c.time} as="moment" />
          {c.action === 'budget.notice' ? <BudgetNotice c={c} names={names} /> : (
            <><span><span class="who">{actorName(c)}</span> {actionTexts[c.action] ?? c.action} {describeSubject(c, names)}</span><ChangedFields c={c} /></>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Returns the user who made the change. Changes without a user come from an operator on the command line, or from Signalbox itself. */
const actorName = (c: AuditEntry): string => (c.email ? escapeInvisible(c.email) : c.action.startsWith('webhook.') || c.after?.automatic ? 'Signalbox' : 'An operator on the command line')

/** A notice that a budget reached a threshold. */
function BudgetNotice({ c, names }: { c: AuditEntry; names: Map<string, string> }) {
  const { scope, period, percent, spent, limit } = c.after ?? {}
  const owner = scope === 'key' ? <>the key <a href={'/keys/' + c.subject}>{escapeInvisible(names.get(c.subject ?? '') ?? String(c.subject))}</a></> : 'the account'
  return (
    <>
      <span>Budget of {owner} for {String(period)} reached {String(percent)}&nbsp;%</span>
      <span class="members meta"><span>spent <ins>{formatExact(Number(spent))}</ins></span><span>of <ins>{formatExact(Number(limit))}</ins></span></span>
    </>
  )
}

function describeSubject(c: AuditEntry, names: Map<string, string>) {
  const { name, email } = { ...c.before, ...c.after }
  if (c.action.startsWith('key.') && c.subject) return <a href={'/keys/' + c.subject}>{escapeInvisible(String(name ?? names.get(c.subject) ?? c.subject))}</a>
  if (c.action.startsWith('alert.')) return <b>{escapeInvisible(String(name ?? names.get(c.subject ?? '') ?? shortenId(c.subject ?? '')))}</b>
  if (c.action.startsWith('provider.')) return <b>{escapeInvisible(c.subject ?? '')}</b>
  return c.action.startsWith('user.') && email ? <b>{escapeInvisible(String(email))}</b> : null
}

/** A link that shows what changed with a version of the policy. */
export function PolicyVersion({ version }: { version: string }) {
  return <a class="mono" href={buildURL('/policy', { compare: version })} title={version}>{shortVersion(version)}</a>
}

/** The changed fields with their values before and after. For a new object, only fields with a value are listed. */
export function ChangedFields({ c }: { c: AuditEntry }) {
  const isNew = Object.keys(c.before ?? {}).every((n) => formatValue(n, c.before![n]) === none)
  const all = { ...c.before, ...c.after }
  const names = Object.keys(all).filter((n) => !(isNew && (n === 'name' || formatValue(n, all[n]) === none)))
  if (names.length === 0) return null
  return (
    <span class="members meta">
      {names.map((n) => (
        <span key={n}>{fieldName(n)} {isNew || !c.before ? null : <><del>{formatValue(n, c.before[n])}</del> <span aria-hidden="true">→</span> </>}<ins>{n === 'version' && c.subject && c.action.startsWith('policy.') ? <PolicyVersion version={c.subject} /> : formatValue(n, c.after?.[n])}</ins></span>
      ))}
    </span>
  )
}

const none = 'none'

const fieldName = (name: string): string => name.replace(/^limits\./, '').replace('nano_usd', 'dollars').replaceAll('_', ' ')

function formatValue(name: string, v: unknown): string {
  if (v === null || v === undefined || v === '' || v === 0 || v === false || (Array.isArray(v) && v.length === 0)) return none
  if (name.includes('nano_usd') && typeof v === 'number') return formatExact(v)
  if (typeof v === 'number') return formatCount(v)
  if (typeof v !== 'string') return escapeInvisible(Array.isArray(v) ? v.join(', ') : String(v))
  if (!/^\d{4}-\d\d-\d\dT/.test(v)) return escapeInvisible(name === 'replaced_by' ? shortenId(v) : name === 'version' ? shortVersion(v) : v)
  return v.startsWith('0001-') ? none : formatDateTime(v)
}
