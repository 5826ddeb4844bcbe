// Who changed what in the account, newest first.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, call, useApi } from '../../api'
import { Time } from '../../components/bits'
import { ErrorBox, Skeleton } from '../../components/states'
import { count, moment, shortId, visible } from '../../format'
import { exact } from '../../money'
import { may, whyNot } from '../../role'
import { address } from '../../router'
import type { Items } from '../../types'
import type { Change } from './types'

const actions: Record<string, string> = {
  'account.create': 'made the account', 'account.update': 'changed the account', 'account.claim': 'claimed the installation', 'account.renew_claim': 'made a new claim link',
  'key.create': 'made the key', 'key.update': 'changed the key', 'key.rotate': 'rotated the key', 'key.revoke': 'revoked the key',
  'invite.create': 'made an invite', 'invite.revoke': 'ended an invite', 'invite.accept': 'accepted an invite',
  'user.role': 'changed the role of', 'user.remove': 'removed', 'session.end': 'ended a session', 'sessions.end': 'ended sessions',
  'webhook.rotate_secret': 'made a new signing secret', 'webhook.test': 'tested the webhook', 'webhook.give_up': 'could not tell the webhook',
  'password.change': 'changed their password', 'password.reset': 'made a link to set a password', 'password.set': 'set a new password',
}

export function Changes() {
  const [list, setList] = useState<Change[]>([])
  const [next, setNext] = useState<string | null>('')
  const [error, setError] = useState<ApiError>()
  const load = async (cursor: string) => {
    setError(undefined)
    try {
      const page = await call<Items<Change>>('GET', address('/audit', { cursor }))
      setList((before) => (cursor ? [...before, ...page.items] : page.items))
      setNext(page.next_cursor ?? null)
    } catch (e) {
      setError(e as ApiError)
    }
  }
  useEffect(() => {
    if (may('owner')) void load('')
  }, [])
  if (!may('owner')) return <p class="soft">{whyNot('owner', 'read the trail of changes')}</p>
  return (
    <section class="stack" aria-label="Changes">
      {error ? <ErrorBox error={error} again={() => void load(next ?? '')} /> : null}
      {list.length > 0 ? <Trail list={list} /> : next === '' && !error ? <Skeleton rows={6} /> : null}
      {next && list.length > 0 ? <div><button type="button" class="button" onClick={() => void load(next)}>Older ones</button></div> : null}
    </section>
  )
}

function Trail({ list }: { list: Change[] }) {
  const keys = useApi<Items<{ id: string; name: string }>>('/keys')
  const names = new Map((keys.data?.items ?? []).map((k) => [k.id, k.name]))
  return (
    <ol class="trail">
      {list.map((c) => (
        <li key={c.id}>
          <Time at={c.time} as="moment" />
          {c.action === 'budget.notice' ? <Notice c={c} names={names} /> : (
            <><span><span class="who">{who(c)}</span> {actions[c.action] ?? c.action} {subject(c, names)}</span><Members c={c} /></>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Nobody's change is one of the command line, or of Signalbox itself. */
const who = (c: Change): string => (c.email ? visible(c.email) : c.action.startsWith('webhook.') ? 'Signalbox' : 'The command line')

/** A budget that was used up for the most part. */
function Notice({ c, names }: { c: Change; names: Map<string, string> }) {
  const { scope, period, percent, spent, limit } = c.after ?? {}
  const whose = scope === 'key' ? <>the key <a href={'/keys/' + c.subject}>{visible(names.get(c.subject ?? '') ?? String(c.subject))}</a></> : 'the account'
  return (
    <>
      <span>The budget of {whose} for {String(period)} reached {String(percent)}&nbsp;%</span>
      <span class="members meta"><span>spent <ins>{exact(Number(spent))}</ins></span><span>of <ins>{exact(Number(limit))}</ins></span></span>
    </>
  )
}

function subject(c: Change, names: Map<string, string>) {
  const { name, email } = { ...c.before, ...c.after }
  if (c.action.startsWith('key.') && c.subject) return <a href={'/keys/' + c.subject}>{visible(String(name ?? names.get(c.subject) ?? c.subject))}</a>
  return c.action.startsWith('user.') && email ? <b>{visible(String(email))}</b> : null
}

/** The members that changed, before and after; of what is new or gone, those that say something. */
function Members({ c }: { c: Change }) {
  const made = Object.keys(c.before ?? {}).every((n) => told(n, c.before![n]) === none)
  const all = { ...c.before, ...c.after }
  const names = Object.keys(all).filter((n) => !(made && (n === 'name' || told(n, all[n]) === none)))
  if (names.length === 0) return null
  return (
    <span class="members meta">
      {names.map((n) => (
        <span key={n}>{words(n)} {made || !c.before ? null : <><del>{told(n, c.before[n])}</del> <span aria-hidden="true">→</span> </>}<ins>{told(n, c.after?.[n])}</ins></span>
      ))}
    </span>
  )
}

const none = 'none'

const words = (name: string): string => name.replace(/^limits\./, '').replace('nano_usd', 'dollars').replaceAll('_', ' ')

function told(name: string, v: unknown): string {
  if (v === null || v === undefined || v === '' || v === 0 || v === false || (Array.isArray(v) && v.length === 0)) return none
  if (name.includes('nano_usd') && typeof v === 'number') return exact(v)
  if (typeof v === 'number') return count(v)
  if (typeof v !== 'string') return visible(Array.isArray(v) ? v.join(', ') : String(v))
  if (!/^\d{4}-\d\d-\d\dT/.test(v)) return visible(name === 'replaced_by' ? shortId(v) : v)
  return v.startsWith('0001-') ? none : moment(v)
}
