// What the account decides for all of its keys.
import { useState } from 'preact/hooks'
import { call, changed, useApi } from '../../api'
import { Choice, Form, TextField } from '../../components/fields'
import { LimitFields, Meters, rateWords, Refusals } from '../../components/limits'
import { Section } from '../../components/section'
import { Await } from '../../components/states'
import { differing } from '../../differing'
import { useDoing } from '../../doing'
import { limitDraft, limitMistake, limitParams, limitsOf, namesOf, useUsage, type LimitDraft } from '../../limits'
import { useNames } from '../../models'
import { may, whyNot } from '../../role'
import { say } from '../../say'
import type { Account } from './types'
import { Webhook } from './webhook'

const captures = [['', 'As the installation has it (all of it)'], ['full', 'All of it'], ['redacted', 'Without what looks like personal data'], ['none', 'None of it']] as const

const shown = ['name', 'baseline_model', 'content_days', ...limitParams]

export function Settings() {
  const loaded = useApi<Account>('/account')
  return (
    <Await of={loaded}>
      {(a) => (
        <div class="settings">
          {may('owner') ? null : <p class="soft">{whyNot('owner', 'change what is here')}</p>}
          <Spending rates={rateWords(a.limits)} />
          <Edit a={a} />
          <Webhook of={a.webhook} />
        </div>
      )}
    </Await>
  )
}

function Spending({ rates }: { rates: string }) {
  const used = useUsage()
  return (
    <Section title="Spending" about="All keys together, by days and months of UTC.">
      <Await of={used} rows={2}>
        {(u) => (
          <>
            <Meters of={u.account} />
            {rates ? <dl class="facts"><dt>At most</dt><dd>{rates}</dd></dl> : null}
            {u.account.refusals.length > 0 ? <><h3>Refused lately</h3><Refusals all={u.account.refusals} names={namesOf(u)} /></> : null}
          </>
        )}
      </Await>
    </Section>
  )
}

interface Draft extends LimitDraft {
  name: string
  baseline: string
  capture: string
  days: string
}

const draftOf = (a: Account): Draft => ({ name: a.name, baseline: a.baseline_model ?? '', capture: a.capture ?? '', days: a.content_days === null ? '' : String(a.content_days), ...limitDraft(a.limits) })

const body = (d: Draft) => ({
  name: d.name, baseline_model: d.baseline.trim() || null, capture: d.capture || null, content_days: d.days.trim() ? Number(d.days) : null, limits: limitsOf(d),
})

function Edit({ a }: { a: Account }) {
  const from = draftOf(a)
  const [d, setDraft] = useState(from)
  const doing = useDoing()
  const off = !may('owner')
  const set = (change: Partial<Draft>) => setDraft({ ...d, ...change })
  const send = () => {
    if (d.days.trim() && !/^\d{1,4}$/.test(d.days.trim())) return doing.refuse('content_days', 'A number of days, up to 3650.')
    const bad = limitMistake(d)
    if (bad) return doing.refuse(bad.param, bad.message)
    const change = differing(body(from), body(d))
    if (Object.keys(change).length === 0) return say('Nothing has changed.')
    void doing.run(async () => {
      await call('PATCH', '/account', change)
      for (const what of ['/account', '/limits', '/audit']) changed(what)
      say('Saved.')
    })
  }
  return (
    <Form class="settings" onSend={send} error={doing.error} shown={shown}>
      <Section title="Account">
        <TextField label="Name of the account" value={d.name} off={off} wrong={doing.wrong('name')} onChange={(v) => set({ name: v })} />
        <DefaultModel value={d.baseline} before={from.baseline} off={off} wrong={doing.wrong('baseline_model')} meant={doing.error?.details.did_you_mean} onChange={(v) => set({ baseline: v })} />
      </Section>
      <Section title="Limits" about="Of all keys together; a key may have less of its own. Empty: no limit.">
        <LimitFields draft={d} set={set} doing={doing} off={off} />
      </Section>
      <Section title="Text" about="What was asked and answered. The figures of a request are always kept.">
        <Choice label="Text of requests and answers that is kept" hint="A key may say otherwise." value={d.capture} options={captures} off={off} onChange={(v) => set({ capture: v })} />
        <TextField
          label="Days that text is kept" hint="Empty: as long as the installation keeps it." number value={d.days} off={off}
          wrong={doing.wrong('content_days')} onChange={(v) => set({ days: v })}
        />
      </Section>
      {off ? null : <div class="line end"><button type="submit" class="button main" disabled={doing.busy}>Save</button></div>}
    </Form>
  )
}

/** The model that every request is compared with. */
function DefaultModel(p: { value: string; before: string; off: boolean; wrong: string | undefined; meant: unknown; onChange: (v: string) => void }) {
  const models = useNames(!p.off).chat
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
