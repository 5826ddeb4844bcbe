// One key at its own URL.
import { useState } from 'preact/hooks'
import { callApi, invalidate, type Loadable, useApi } from '../../api'
import { CopyableId, Time } from '../../components/basics'
import { BudgetMeters, formatRateLimits, Rejections } from '../../components/limits'
import { Section } from '../../components/section'
import { Await, EmptyState, ErrorBox } from '../../components/states'
import { filterTerm } from '../../filter'
import { escapeInvisible } from '../../format'
import { findLimitError, useLimitUsage } from '../../limits'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { buildURL } from '../../router'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { type Budget, budgetsOfKey, describeSelector } from '../account/budget'
import { BudgetMeterList } from '../account/budgetmeters'
import { changedSettings, toDraft } from './draft'
import { describeAccess, isCurrent, isRotatingOut, type Key } from './key'
import { KeyForm } from './keyform'
import { RevealedKeys } from './reveal'

interface KeyPageProps {
  id: string
  loaded: Loadable<Items<Key>>
  onRotate: (k: Key) => void
  onRevoke: (k: Key) => void
}

export function KeyPage({ id, loaded, onRotate, onRevoke }: KeyPageProps) {
  const k = loaded.data?.items.find((x) => x.id === id)
  return (
    <>
      <div class="pagehead">
        <h1 tabIndex={-1}>{k ? escapeInvisible(k.name) : 'Key'}</h1>
        {k && isCurrent(k) && hasRole('member') ? <button type="button" class="button" onClick={() => onRotate(k)}>Rotate</button> : null}
        {k && (isCurrent(k) || isRotatingOut(k)) && hasRole('member') ? <button type="button" class="button danger" onClick={() => onRevoke(k)}>Revoke</button> : null}
        <a class="button" href="/keys">All keys</a>
      </div>
      <RevealedKeys />
      <Await of={loaded}>{() => (k ? <KeyDetails k={k} key={k.id} /> : (
        <EmptyState title="Key not found"><p>The key may belong to another account, or may have been deleted after it expired.</p></EmptyState>
      ))}</Await>
    </>
  )
}

function KeyDetails({ k }: { k: Key }) {
  const used = useLimitUsage(k.id)
  const usage = used.data?.keys[0]
  const rates = formatRateLimits(k.limits)
  return (
    <div class="settings">
      <Section title="Usage" description={<a href={buildURL('/requests', { q: filterTerm('key', k.id) })}>View requests with this key</a>}>
        {used.error ? <ErrorBox error={used.error} onRetry={used.reload} /> : null}
        {usage ? <BudgetMeters of={usage} /> : null}
        <dl class="facts">
          <dt>Last used</dt><dd>{k.last_used_at ? <><Time at={k.last_used_at} as="relative" /> from {k.last_used_from ?? 'an unknown address'}</> : 'never'}</dd>
          {rates ? <><dt>Rate limits</dt><dd>{rates}</dd></> : null}
        </dl>
        {usage && usage.refusals.length > 0 ? <><h3>Recently rejected requests</h3><Rejections all={usage.refusals} /></> : null}
      </Section>
      <GroupBudgets k={k} />
      <Section title="Key">
        <dl class="facts">
          <dt>State</dt><dd>{describeState(k)}</dd>
          <dt>Prefix</dt><dd><code>{k.prefix}…</code></dd>
          <dt>Access</dt><dd>{describeAccess(k)}</dd>
          <dt>Created</dt><dd><Time at={k.created_at} as="moment" /></dd>
          <dt>ID</dt><dd><CopyableId id={k.id} full /></dd>
        </dl>
      </Section>
      {!isCurrent(k) ? null : hasRole('member') ? <EditKey k={k} /> : <p class="soft">{explainMissingRole('member', 'change keys')}</p>}
    </div>
  )
}

/** The group budgets that the requests with the key must fit, beside its own budget. */
function GroupBudgets({ k }: { k: Key }) {
  const loaded = useApi<Items<Budget>>('/budgets')
  const found = budgetsOfKey(loaded.data?.items ?? [], k)
  if (!loaded.error && loaded.data && found.length === 0) return null
  return (
    <Section title="Group budgets" description={<a href="/account/budgets">All group budgets</a>}>
      <Await of={loaded} rows={2}>
        {() => (
          <ul class="rows" aria-label="Group budgets of this key">
            {found.map(({ budget: b, meters }) => (
              <li key={b.id}><span class="who">{escapeInvisible(b.name)}</span><span class="meta">{escapeInvisible(describeSelector(b))}</span>{meters.length > 0 ? <BudgetMeterList of={b} meters={meters} /> : null}</li>
            ))}
          </ul>
        )}
      </Await>
    </Section>
  )
}

function describeState(k: Key) {
  if (k.revoked_at) return <>revoked <Time at={k.revoked_at} as="moment" /></>
  if (k.replaced_by) return <>{k.state === 'active' ? 'active until' : 'expired'} <Time at={k.expires_at!} as="moment" />, replaced by <a href={'/keys/' + k.replaced_by}>a new key</a></>
  if (k.expires_at) return <>{k.state === 'active' ? 'active until' : 'expired'} <Time at={k.expires_at} as="moment" /></>
  return 'active'
}

function EditKey({ k }: { k: Key }) {
  const [draft, setDraft] = useState(() => toDraft(k))
  const mutation = useMutation()
  const send = async () => {
    const bad = findLimitError(draft)
    if (bad) return mutation.rejectField(bad.param, bad.message)
    const change = changedSettings(toDraft(k), draft)
    if (Object.keys(change).length === 0) return showToast('No changes to save.')
    const done = await mutation.run(async () => {
      await callApi('PATCH', `/keys/${k.id}`, change)
      invalidate('/keys', '/limits')
      showToast('Key saved. All proxies apply the change within a second.')
    })
    if (done) setDraft({ ...draft, expires: 'keep' })
  }
  return <KeyForm draft={draft} onDraft={setDraft} mutation={mutation} onSubmit={send} button="Save" expiresAt={k.expires_at} expanded />
}
