// The keys of the account: make, rotate, end.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { Time } from '../../components/bits'
import { Refusals } from '../../components/limits'
import { Total } from '../../components/money'
import { Await, Empty, ErrorBox } from '../../components/states'
import { plural, visible } from '../../format'
import { useKeys } from '../../keys'
import { namesOf, useUsage, type AllUsage } from '../../limits'
import { may, whyNot } from '../../role'
import { params, setParams } from '../../router'
import type { Items } from '../../types'
import { NewKey, Revoke, Rotate } from './dialogs'
import { current, leaving, type Key } from './key'
import { KeyList } from './keylist'
import { OneKey } from './one'
import { Reveal } from './reveal'

export function Keys({ rest }: { rest: string }) {
  const loaded = useApi<Items<Key>>('/keys')
  const [rotating, rotate] = useState<Key | null>(null)
  const [ending, end] = useState<Key | null>(null)
  const making = params.value.get('new') !== null && may('member')
  useKeys([{ key: 'n', does: 'make a key', run: () => may('member') && setParams({ new: '1' }) }])
  const acts = { onRotate: rotate, onRevoke: end }
  return (
    <>
      {rest ? <OneKey id={rest} loaded={loaded} {...acts} /> : (
        <>
          <div class="pagehead">
            <h1 tabIndex={-1}>Keys</h1>
            {may('member') ? <button type="button" class="button main" onClick={() => setParams({ new: '1' })}>New key</button> : null}
          </div>
          {may('member') ? null : <p class="soft">{whyNot('member', 'make, rotate and revoke keys')}</p>}
          <Reveal />
          <Await of={loaded}>{(all) => <Listed keys={all.items} {...acts} />}</Await>
        </>
      )}
      <NewKey open={making} onClose={() => setParams({ new: null }, 'replace')} />
      {rotating ? <Rotate of={rotating} onClose={() => rotate(null)} /> : null}
      {ending ? <Revoke of={ending} onClose={() => end(null)} /> : null}
    </>
  )
}

function Listed({ keys, onRotate, onRevoke }: { keys: Key[]; onRotate: (k: Key) => void; onRevoke: (k: Key) => void }) {
  const used = useUsage()
  const usage = used.data
  const working = keys.filter(current)
  if (keys.length === 0) {
    return (
      <Empty title="No key yet">
        <p>Programs send a key with every request. It says whose it is, what it may do, and how much of it.</p>
        <a class="button" href="/start">Show me how</a>
      </Empty>
    )
  }
  return (
    <>
      <p class="headline">
        {working.length === 0 ? 'No key works at the moment.' : `${plural(working.length, 'key works', 'keys work')}.`}
        {usage ? <> All keys together have spent <b><Total nano={usage.account.spent.day.nano_usd} /></b> today and <b><Total nano={usage.account.spent.month.nano_usd} /></b> this month.</> : null}
      </p>
      {used.error ? <ErrorBox error={used.error} again={used.again} /> : null}
      {working.length > 0 ? <KeyList keys={keys} used={new Map(usage?.keys.map((u) => [u.id, u]))} onRotate={onRotate} onRevoke={onRevoke} /> : null}
      {usage ? <Refused of={usage} /> : null}
      <Ended keys={keys.filter((k) => !current(k) && !leaving(k))} />
    </>
  )
}

function Refused({ of }: { of: AllUsage }) {
  if (of.account.refusals.length === 0) return null
  return (
    <section class="stack" aria-labelledby="refused">
      <h2 id="refused">Refused lately <span class="meta">by a limit of the key or of the account</span></h2>
      <Refusals all={of.account.refusals} names={namesOf(of)} />
    </section>
  )
}

function Ended({ keys }: { keys: Key[] }) {
  if (keys.length === 0) return null
  return (
    <details>
      <summary>{plural(keys.length, 'key that has ended', 'keys that have ended')}</summary>
      <ul class="endedkeys">
        {keys.map((k) => (
          <li key={k.id}><a href={'/keys/' + k.id}>{visible(k.name)}</a> <span class="mono meta">{k.prefix}…</span> <span class="soft">{k.state} <Time at={(k.revoked_at ?? k.expires_at)!} as="relative" /></span></li>
        ))}
      </ul>
    </details>
  )
}
