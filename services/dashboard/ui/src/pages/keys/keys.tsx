// The keys of the account: list, create, rotate and revoke them.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { Time } from '../../components/basics'
import { Rejections } from '../../components/limits'
import { Total } from '../../components/money'
import { Await, EmptyState, ErrorBox } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { keyNamesById, type LimitUsage, useLimitUsage } from '../../limits'
import { explainMissingRole, hasRole } from '../../role'
import { params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import type { Items } from '../../types'
import { NewKeyDialog, RevokeDialog, RotateDialog } from './dialogs'
import { isCurrent, isRotatingOut, type Key } from './key'
import { KeyList } from './keylist'
import { KeyPage } from './keypage'
import { RevealedKeys } from './reveal'

export function Keys({ rest }: { rest: string }) {
  const loaded = useApi<Items<Key>>('/keys')
  const [rotating, setRotating] = useState<Key | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const creating = params.value.get('new') !== null && hasRole('member')
  useShortcuts([{ key: 'n', description: 'Create a key', run: () => hasRole('member') && setParams({ new: '1' }) }])
  const actions = { onRotate: setRotating, onRevoke: setRevoking }
  return (
    <>
      {rest ? <KeyPage id={rest} loaded={loaded} {...actions} /> : (
        <>
          <div class="pagehead">
            <h1 tabIndex={-1}>Keys</h1>
            {hasRole('member') ? <button type="button" class="button main" onClick={() => setParams({ new: '1' })}>Create key</button> : null}
          </div>
          {hasRole('member') ? null : <p class="soft">{explainMissingRole('member', 'create, rotate and revoke keys')}</p>}
          <RevealedKeys />
          <Await of={loaded}>{(all) => <KeyOverview keys={all.items} {...actions} />}</Await>
        </>
      )}
      <NewKeyDialog open={creating} onClose={() => setParams({ new: null }, 'replace')} />
      {rotating ? <RotateDialog of={rotating} onClose={() => setRotating(null)} /> : null}
      {revoking ? <RevokeDialog of={revoking} onClose={() => setRevoking(null)} /> : null}
    </>
  )
}

function KeyOverview({ keys, onRotate, onRevoke }: { keys: Key[]; onRotate: (k: Key) => void; onRevoke: (k: Key) => void }) {
  const used = useLimitUsage()
  const usage = used.data
  const active = keys.filter(isCurrent)
  if (keys.length === 0) {
    return (
      <EmptyState title="No keys yet">
        <p>Clients send a key with every request. The key identifies the account and limits what the client may use and spend.</p>
        <a class="button" href="/start">Get started</a>
      </EmptyState>
    )
  }
  return (
    <>
      <p class="headline">
        {active.length === 0 ? 'No active keys.' : `${pluralize(active.length, 'active key')}.`}
        {usage ? <> Total spend: <b><Total nano={usage.account.spent.day.nano_usd} /></b> today, <b><Total nano={usage.account.spent.month.nano_usd} /></b> this month.</> : null}
      </p>
      {used.error ? <ErrorBox error={used.error} onRetry={used.reload} /> : null}
      {active.length > 0 ? <KeyList keys={keys} used={new Map(usage?.keys.map((u) => [u.id, u]))} onRotate={onRotate} onRevoke={onRevoke} /> : null}
      {usage ? <RejectedRequests of={usage} /> : null}
      <InactiveKeys keys={keys.filter((k) => !isCurrent(k) && !isRotatingOut(k))} />
    </>
  )
}

function RejectedRequests({ of }: { of: LimitUsage }) {
  if (of.account.refusals.length === 0) return null
  return (
    <section class="stack" aria-labelledby="refused">
      <h2 id="refused">Recently rejected requests <span class="meta">by a limit of the key or the account</span></h2>
      <Rejections all={of.account.refusals} names={keyNamesById(of)} />
    </section>
  )
}

function InactiveKeys({ keys }: { keys: Key[] }) {
  if (keys.length === 0) return null
  return (
    <details>
      <summary>{pluralize(keys.length, 'expired or revoked key')}</summary>
      <ul class="endedkeys">
        {keys.map((k) => (
          <li key={k.id}><a href={'/keys/' + k.id}>{escapeInvisible(k.name)}</a> <span class="mono meta">{k.prefix}…</span> <span class="soft">{k.state} <Time at={(k.revoked_at ?? k.expires_at)!} as="relative" /></span></li>
        ))}
      </ul>
    </details>
  )
}
