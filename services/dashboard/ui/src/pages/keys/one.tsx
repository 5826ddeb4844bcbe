// One key at its own address.
import { useState } from 'preact/hooks'
import { call, changed, type Loaded } from '../../api'
import { Id, Time } from '../../components/bits'
import { Meters, rateWords, Refusals } from '../../components/limits'
import { Section } from '../../components/section'
import { Await, Empty, ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { visible } from '../../format'
import { useUsage } from '../../limits'
import { may, whyNot } from '../../role'
import { address } from '../../router'
import { say } from '../../say'
import type { Items } from '../../types'
import { word } from '../../words'
import { changes, draftOf, mistake } from './draft'
import { current, leaving, uses, type Key } from './key'
import { KeyForm } from './keyform'
import { Reveal } from './reveal'

interface OneKeyProps {
  id: string
  loaded: Loaded<Items<Key>> & { again: () => void }
  onRotate: (k: Key) => void
  onRevoke: (k: Key) => void
}

export function OneKey({ id, loaded, onRotate, onRevoke }: OneKeyProps) {
  const k = loaded.data?.items.find((x) => x.id === id)
  return (
    <>
      <div class="pagehead">
        <h1 tabIndex={-1}>{k ? visible(k.name) : 'Key'}</h1>
        {k && current(k) && may('member') ? <button type="button" class="button" onClick={() => onRotate(k)}>Rotate</button> : null}
        {k && (current(k) || leaving(k)) && may('member') ? <button type="button" class="button danger" onClick={() => onRevoke(k)}>Revoke</button> : null}
        <a class="button" href="/keys">All keys</a>
      </div>
      <Reveal />
      <Await of={loaded}>{() => (k ? <Shown k={k} key={k.id} /> : (
        <Empty title="There is no such key"><p>It may be of another account, or have ended long ago.</p></Empty>
      ))}</Await>
    </>
  )
}

function Shown({ k }: { k: Key }) {
  const used = useUsage(k.id)
  const usage = used.data?.keys[0]
  const rates = rateWords(k.limits)
  return (
    <div class="settings">
      <Section title="Use" about={<a href={address('/requests', { q: word('key', k.id) })}>Requests with this key</a>}>
        {used.error ? <ErrorBox error={used.error} again={used.again} /> : null}
        {usage ? <Meters of={usage} /> : null}
        <dl class="facts">
          <dt>Last used</dt><dd>{k.last_used_at ? <><Time at={k.last_used_at} as="relative" /> from {k.last_used_from ?? 'somewhere'}</> : 'never'}</dd>
          {rates ? <><dt>At most</dt><dd>{rates}</dd></> : null}
        </dl>
        {usage && usage.refusals.length > 0 ? <><h3>Refused lately</h3><Refusals all={usage.refusals} /></> : null}
      </Section>
      <Section title="Key">
        <dl class="facts">
          <dt>State</dt><dd>{state(k)}</dd>
          <dt>Begins with</dt><dd><code>{k.prefix}…</code></dd>
          <dt>May</dt><dd>{uses(k)}</dd>
          <dt>Made</dt><dd><Time at={k.created_at} as="moment" /></dd>
          <dt>Id</dt><dd><Id id={k.id} whole /></dd>
        </dl>
      </Section>
      {!current(k) ? null : may('member') ? <Edit k={k} /> : <p class="soft">{whyNot('member', 'change keys')}</p>}
    </div>
  )
}

function state(k: Key) {
  if (k.revoked_at) return <>revoked <Time at={k.revoked_at} as="moment" /></>
  if (k.replaced_by) return <>{k.state === 'active' ? 'works until' : 'worked until'} <Time at={k.expires_at!} as="moment" />, replaced by <a href={'/keys/' + k.replaced_by}>its successor</a></>
  if (k.expires_at) return <>{k.state === 'active' ? 'works until' : 'expired'} <Time at={k.expires_at} as="moment" /></>
  return 'works'
}

function Edit({ k }: { k: Key }) {
  const [draft, setDraft] = useState(() => draftOf(k))
  const doing = useDoing()
  const send = async () => {
    const bad = mistake(draft)
    if (bad) return doing.refuse(bad.param, bad.message)
    const change = changes(draftOf(k), draft)
    if (Object.keys(change).length === 0) return say('Nothing has changed.')
    const done = await doing.run(async () => {
      await call('PATCH', `/keys/${k.id}`, change)
      changed('/keys')
      changed('/limits')
      say('Saved. Every proxy knows within a second.')
    })
    if (done) setDraft({ ...draft, expires: 'keep' })
  }
  return <KeyForm draft={draft} onDraft={setDraft} doing={doing} onSend={send} button="Save" ends={k.expires_at} whole />
}
