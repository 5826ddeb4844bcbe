import { useState } from 'preact/hooks'
import { call, changed, useApi } from '../../api'
import { Choice, Form, TextField } from '../../components/fields'
import { Await } from '../../components/states'
import { useDoing } from '../../doing'
import { may, whyNot } from '../../role'
import { say } from '../../say'
import type { Items } from '../../types'
import type { Account } from './types'

const captures = [['', 'As the installation has it (all of it)'], ['full', 'All of it'], ['redacted', 'Without what looks like personal data'], ['none', 'None of it']] as const

export function Settings() {
  const loaded = useApi<Account>('/account')
  return <Await of={loaded}>{(a) => <Edit a={a} />}</Await>
}

function Edit({ a }: { a: Account }) {
  const from = { name: a.name, baseline: a.baseline_model ?? '', capture: (a.capture ?? '') as string, days: a.content_days === null ? '' : String(a.content_days) }
  const [d, setDraft] = useState(from)
  const doing = useDoing()
  const off = !may('owner')
  const set = (change: Partial<typeof d>) => setDraft({ ...d, ...change })
  const send = () => {
    if (d.days.trim() && !/^\d{1,4}$/.test(d.days.trim())) return doing.refuse('content_days', 'A number of days, up to 3650.')
    const change: Record<string, unknown> = {}
    if (d.name !== from.name) change.name = d.name
    if (d.baseline.trim() !== from.baseline) change.baseline_model = d.baseline.trim() || null
    if (d.capture !== from.capture) change.capture = d.capture || null
    if (d.days.trim() !== from.days) change.content_days = d.days.trim() ? Number(d.days) : null
    if (Object.keys(change).length === 0) return say('Nothing has changed.')
    void doing.run(async () => {
      await call('PATCH', '/account', change)
      changed('/account')
      changed('/audit')
      say('Saved.')
    })
  }
  return (
    <Form class="stack narrow" onSend={send} error={doing.error} shown={['name', 'baseline_model', 'content_days']}>
      {off ? <p class="soft">{whyNot('owner', 'change these')}</p> : null}
      <TextField label="Name of the account" value={d.name} off={off} wrong={doing.wrong('name')} onChange={(v) => set({ name: v })} />
      <DefaultModel value={d.baseline} before={from.baseline} off={off} wrong={doing.wrong('baseline_model')} meant={doing.error?.details.did_you_mean} onChange={(v) => set({ baseline: v })} />
      <Choice label="Text of requests and answers that is kept" hint="A key may say otherwise. The figures of a request are always kept." value={d.capture} options={captures} off={off} onChange={(v) => set({ capture: v })} />
      <TextField
        label="Days that text is kept" hint="Empty: as long as the installation keeps it." number value={d.days} off={off}
        wrong={doing.wrong('content_days')} onChange={(v) => set({ days: v })}
      />
      {off ? null : <div class="line"><button type="submit" class="button main" disabled={doing.busy}>Save</button></div>}
    </Form>
  )
}

/** The model that every request is compared with. */
function DefaultModel(p: { value: string; before: string; off: boolean; wrong: string | undefined; meant: unknown; onChange: (v: string) => void }) {
  const known = useApi<Items<{ id: string; kind: string }>>(p.off ? null : '/models')
  const models = (known.data?.items ?? []).filter((m) => m.kind === 'chat').map((m) => m.id)
  const wrong = p.wrong && p.meant ? `${p.wrong}. Do you mean ${p.meant}?` : p.wrong
  return (
    <>
      <TextField
        label="Default model" hint="What you would use without Signalbox: costs are compared with it. Empty: that of the policy." list="models"
        value={p.value} off={p.off} wrong={wrong} onChange={p.onChange}
      />
      <datalist id="models">{models.map((m) => <option key={m} value={m} />)}</datalist>
      {p.value.trim() !== p.before ? <p class="note" role="status">This changes what future requests are compared with. Those that are recorded keep the default of their time, so sums of the past stay as they are.</p> : null}
    </>
  )
}
