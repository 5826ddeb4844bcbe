// The settings of a key, to make one or to change one. What most keys need is
// on top; in a dialog the rest unfolds.
import { Choice, Form, TextField } from '../../components/fields'
import { LimitFields } from '../../components/limits'
import { Section } from '../../components/section'
import { moment } from '../../format'
import type { Doing } from '../../doing'
import { limitParams } from '../../limits'
import { continued, useNames } from '../../models'
import type { Draft } from './draft'

const scopes = ['chat', 'embeddings', 'models'] as const

const captures = [['', 'As the account has it'], ['full', 'All of the text'], ['redacted', 'Without what looks like personal data'], ['none', 'None of the text']] as const
const formats = [['', 'As usual (flat)'], ['flat', 'Flat: error, code, details'], ['openai', 'Nested, as OpenAI has it']] as const
const spans = [['', 'Never'], ['7', 'In 7 days'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year']] as const

const shown = ['name', 'scopes', 'models', 'tags', 'baseline_model', 'expires_at', ...limitParams]

export interface KeyFormProps {
  draft: Draft
  onDraft: (d: Draft) => void
  doing: Doing
  onSend: () => void
  button: string
  onCancel?: () => void
  /** When the key ends so far; undefined for one that is new. */
  ends?: string | null | undefined
  /** Shows everything at once. */
  whole?: boolean
}

interface PartProps {
  d: Draft
  set: (change: Partial<Draft>) => void
  doing: Doing
}

export function KeyForm({ draft: d, onDraft, doing, onSend, button, onCancel, ends, whole }: KeyFormProps) {
  const part: PartProps = { d, doing, set: (change) => onDraft({ ...d, ...change }) }
  const first = (
    <>
      <TextField label="Name" hint="Who or what uses it, such as prod-web." value={d.name} wrong={doing.wrong('name')} onChange={(v) => part.set({ name: v })} />
      <Expiry {...part} ends={ends} />
    </>
  )
  const rest = <><Uses {...part} /><HowMuch {...part} /><Handling {...part} /></>
  return (
    <Form onSend={onSend} error={doing.error} shown={shown} class={whole ? 'settings' : 'stack'}>
      {whole ? <><Section title="Settings" about="Every proxy knows of a change within a second.">{first}</Section>{rest}</> : (
        <>{first}<details><summary>More settings</summary><div class="unfolded">{rest}</div></details></>
      )}
      <div class="line end">
        {onCancel ? <button type="button" class="button" onClick={onCancel}>Cancel</button> : null}
        <button type="submit" class="button main" disabled={doing.busy}>{button}</button>
      </div>
    </Form>
  )
}

function Expiry({ d, set, doing, ends }: PartProps & { ends: string | null | undefined }) {
  const dated = d.expires.includes('-')
  const keep = ends === undefined ? [] : [['keep', ends === null ? 'Never, as it is' : `${moment(ends)}, as it is`] as const]
  const options = [...keep, ...spans.filter(([v]) => v !== '' || ends !== null), ['date', 'On a date'] as const]
  return (
    <div class="pairs">
      <Choice
        label="Ends" value={dated ? 'date' : d.expires} options={options}
        onChange={(v) => set({ expires: v === 'date' ? new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) : v })}
      />
      {dated ? <TextField label="Last day" type="date" value={d.expires} wrong={doing.wrong('expires_at')} onChange={(v) => v && set({ expires: v })} /> : null}
    </div>
  )
}

function Uses({ d, set, doing }: PartProps) {
  const names = useNames().all
  return (
    <Section title="What it may do" about="Nothing marked, nothing named: everything.">
      <fieldset class="plain">
        <legend>Calls</legend>
        <div class="line">
          {scopes.map((s) => (
            <label class="check" key={s}>
              <input type="checkbox" checked={d.scopes.includes(s)} onChange={(e) => set({ scopes: scopes.filter((x) => (x === s ? e.currentTarget.checked : d.scopes.includes(x))) })} /> {s}
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        label="Models and routes" hint="Names with commas between, such as auto, small." list="names" value={d.models} wrong={doing.wrong('models')}
        onChange={(v) => set({ models: v })}
      />
      <datalist id="names">{continued(d.models, names).map((n) => <option key={n} value={n} />)}</datalist>
      <label class="check">
        <input type="checkbox" checked={d.swap} onChange={(e) => set({ swap: e.currentTarget.checked })} /> A model that was asked for by name may be replaced by another
      </label>
    </Section>
  )
}

function HowMuch({ d, set, doing }: PartProps) {
  return (
    <Section title="How much" about="Empty: no limit of its own. Those of the account count too. Days and months are of UTC.">
      <LimitFields draft={d} set={set} doing={doing} />
    </Section>
  )
}

function Handling({ d, set, doing }: PartProps) {
  const names = useNames().chat
  return (
    <Section title="How it is handled" about="Tags are words that the policy may ask for.">
      <TextField label="Tags" hint="With commas between, such as eu, legal." value={d.tags} wrong={doing.wrong('tags')} onChange={(v) => set({ tags: v })} />
      <TextField
        label="Default model" hint="What its requests are compared with. Empty: that of the account." list="chat" value={d.baseline} wrong={doing.wrong('baseline_model')}
        onChange={(v) => set({ baseline: v })}
      />
      <datalist id="chat">{names.map((n) => <option key={n} value={n} />)}</datalist>
      <div class="pairs">
        <Choice label="Text that is kept" value={d.capture} options={captures} onChange={(v) => set({ capture: v })} />
        <Choice label="Shape of errors" value={d.errors} options={formats} onChange={(v) => set({ errors: v })} />
      </div>
    </Section>
  )
}
