// The audit log: all changes to the account with their authors, newest first.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, callApi, useApi } from '../../api'
import { Time } from '../../components/basics'
import { ErrorBox, Skeleton } from '../../components/states'
import { escapeInvisible, formatCount, formatDateTime, shortenId } from '../../format'
import { formatExact } from '../../money'
import { explainMissingRole, hasRole } from '../../role'
import { buildURL } from '../../router'
import type { Items } from '../../types'
import type { AuditEntry } from './types'

const actionTexts: Record<string, string> = {
  'account.create': 'created the account', 'account.update': 'changed the account', 'account.claim': 'set up the operator account with the claim link', 'account.renew_claim': 'created a new claim link',
  'key.create': 'created the key', 'key.update': 'changed the key', 'key.rotate': 'rotated the key', 'key.revoke': 'revoked the key',
  'invite.create': 'created an invite', 'invite.revoke': 'revoked an invite', 'invite.accept': 'accepted an invite',
  'user.role': 'changed the role of', 'user.remove': 'removed', 'session.end': 'ended a session', 'sessions.end': 'ended sessions',
  'webhook.rotate_secret': 'created a new signing secret', 'webhook.test': 'tested the webhook', 'webhook.give_up': 'could not deliver a webhook notice',
  'policy.publish': 'published a policy', 'policy.rollback': 'rolled the policy back',
  'rollout.start': 'started a rollout', 'rollout.advance': 'advanced the rollout', 'rollout.halt': 'halted the rollout', 'rollout.roll_back': 'rolled the rollout back', 'rollout.complete': 'completed the rollout', 'rollout.supersede': 'ended the rollout with another version',
  'password.change': 'changed their password', 'password.reset': 'created a password reset link', 'password.set': 'set a new password',
}

export function AuditLog() {
  const [list, setList] = useState<AuditEntry[]>([])
  const [next, setNext] = useState<string | null>('')
  const [error, setError] = useState<ApiError>()
  const load = async (cursor: string) => {
    setError(undefined)
    try {
      const page = await callApi<Items<AuditEntry>>('GET', buildURL('/audit', { cursor }))
      setList((before) => (cursor ? [...before, ...page.items] : page.items))
      setNext(page.next_cursor ?? null)
    } catch (e) {
      setError(e as ApiError)
    }
  }
  useEffect(() => {
    if (hasRole('owner')) void load('')
  }, [])
  if (!hasRole('owner')) return <p class="soft">{explainMissingRole('owner', 'view the audit log')}</p>
  return (
    <section class="stack" aria-label="Audit log">
      {error ? <ErrorBox error={error} onRetry={() => void load(next ?? '')} /> : null}
      {list.length > 0 ? <AuditEntries list={list} /> : next === '' && !error ? <Skeleton rows={6} /> : null}
      {next && list.length > 0 ? <div><button type="button" class="button" onClick={() => void load(next)}>Load older entries</button></div> : null}
    </section>
  )
}

function AuditEntries({ list }: { list: AuditEntry[] }) {
  const keys = useApi<Items<{ id: string; name: string }>>('/keys')
  const names = new Map((keys.data?.items ?? []).map((k) => [k.id, k.name]))
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
  return c.action.startsWith('user.') && email ? <b>{escapeInvisible(String(email))}</b> : null
}

/** The changed fields with their values before and after. For a new object, only fields with a value are listed. */
function ChangedFields({ c }: { c: AuditEntry }) {
  const isNew = Object.keys(c.before ?? {}).every((n) => formatValue(n, c.before![n]) === none)
  const all = { ...c.before, ...c.after }
  const names = Object.keys(all).filter((n) => !(isNew && (n === 'name' || formatValue(n, all[n]) === none)))
  if (names.length === 0) return null
  return (
    <span class="members meta">
      {names.map((n) => (
        <span key={n}>{fieldName(n)} {isNew || !c.before ? null : <><del>{formatValue(n, c.before[n])}</del> <span aria-hidden="true">→</span> </>}<ins>{formatValue(n, c.after?.[n])}</ins></span>
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
  if (!/^\d{4}-\d\d-\d\dT/.test(v)) return escapeInvisible(name === 'replaced_by' ? shortenId(v) : v)
  return v.startsWith('0001-') ? none : formatDateTime(v)
}
