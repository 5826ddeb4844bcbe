// From nothing to a request that can be seen: a key, a call, the row.
import { call, changed, useApi } from '../../api'
import { boot } from '../../boot'
import { CopyButton } from '../../components/bits'
import { Tabs } from '../../components/controls'
import { ErrorBox } from '../../components/states'
import { useDoing } from '../../doing'
import { plural, visible } from '../../format'
import { may, whyNot } from '../../role'
import { params, setParams } from '../../router'
import type { Items } from '../../types'
import { current, type Key } from '../keys/key'
import { reveal, revealed, Secret } from '../keys/reveal'
import { First } from './first'
import { near, Send } from './send'
import { snippets } from './snippets'

export function Start() {
  const made = revealed.value[0]
  return (
    <>
      <div class="pagehead"><h1 tabIndex={-1}>Start</h1><a class="button quiet" href="/">Skip to the overview</a></div>
      <p class="headline">A key, one call, and you see where it went and what it cost.</p>
      <ol class="steps">
        <li><div class="stack"><h2>Your key</h2><TheKey made={made} /></div></li>
        <li><div class="stack"><h2>Call it</h2><Call secret={made?.key} /></div></li>
        <li><div class="stack"><h2>See it</h2><First made={made} /></div></li>
      </ol>
    </>
  )
}

function TheKey({ made }: { made: Key | undefined }) {
  const keys = useApi<Items<Key>>('/keys')
  const doing = useDoing()
  const make = () => doing.run(async () => {
    const names = keys.data?.items.map((k) => k.name) ?? []
    reveal(await call<Key>('POST', '/keys', { name: fresh(names) }))
    changed('/keys')
  })
  if (made) return <><Secret k={made} /><p class="meta">Shown once, and kept nowhere: copy it now. It is called {visible(made.name)}; <a href="/keys">all keys</a>.</p></>
  if (!may('member')) return <p>{whyNot('member', 'make keys')} A key that somebody gave you works below, in place of $SIGNALBOX_KEY.</p>
  const have = keys.data?.items.filter(current).length ?? 0
  return (
    <>
      {doing.error ? <ErrorBox error={doing.error} /> : null}
      {keys.error ? <ErrorBox error={keys.error} again={keys.again} /> : null}
      {have > 0 ? <p>{have === 1 ? 'There is a key' : `There are ${plural(have, 'key')}`} already, such as the one that was printed when Signalbox began. With it at hand, <code>export SIGNALBOX_KEY=…</code> and go on below; else make one.</p> : null}
      <div class="line"><button type="button" class="button main" disabled={doing.busy} onClick={make}>Make a key</button></div>
    </>
  )
}

/** A name that no key has yet. */
function fresh(names: string[]): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? 'first' : `first-${n}`
    if (!names.includes(name)) return name
  }
}

function Call({ secret }: { secret: string | undefined }) {
  const all = snippets(boot.base_url, secret)
  const chosen = all.find((s) => s.id === params.value.get('lang')) ?? all[0]!
  return (
    <>
      <div><Tabs tabs={all} chosen={chosen.id} label="Languages" onChoose={(id) => setParams({ lang: id === 'curl' ? null : id }, 'replace')}>
        <div class="call">
          <pre class="snippet" tabIndex={0}>{chosen.text}</pre>
          <CopyButton key={chosen.id} text={chosen.text} what="The call">Copy</CopyButton>
        </div>
      </Tabs></div>
      {secret && near ? <div class="line"><Send secret={secret} /></div> : null}
    </>
  )
}
