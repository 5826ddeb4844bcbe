// The settings of a key, to make one or to change one. What most keys need is
// on top; the rest unfolds.
import { Choice, Form, TextField } from '../../components/fields'
import { moment } from '../../format'
import type { Doing } from '../../doing'
import type { Draft } from './draft'

const scopes = ['chat', 'embeddings', 'models'] as const

const captures = [['', "As the account has it"], ['full', 'All of the text'], ['redacted', 'Without what looks like personal data'], ['none', 'None of the text']] as const
const formats = [['', 'As usual (flat)'], ['flat', 'Flat: error, code, details'], ['openai', 'Nested, as OpenAI has it']] as const
const spans = [['', 'Never'], ['7', 'In 7 days'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year']] as const

const shown = ['name', 'scopes', 'models', 'tags', 'baseline_model', 'expires_at', 'requests_per_minute', 'tokens_per_minute', 'concurrent_requests', 'nano_usd_per_day', 'nano_usd_per_month']

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

export function KeyForm({ draft: d, onDraft, doing, onSend, button, onCancel, ends, whole }: KeyFormProps) {
  const set = (change: Partial<Draft>) => onDraft({ ...d, ...change })
  const text = (name: 'name' | 'models' | 'tags' | 'requests' | 'tokens' | 'concurrent' | 'perDay' | 'perMonth' | 'baseline', param: string, label: string, hint?: string) => (
    <TextField label={label} hint={hint} value={d[name]} wrong={doing.wrong(param)} number={/^(req|tok|con|per)/.test(name)} onChange={(v) => set({ [name]: v })} />
  )
  return (
    <Form onSend={onSend} error={doing.error} shown={shown}>
      {text('name', 'name', 'Name', 'Who or what uses it, such as prod-web.')}
      <Expiry draft={d} ends={ends} set={set} wrong={doing.wrong('expires_at')} />
      <details open={whole}>
        <summary>What it may do, and how much</summary>
        <div class="stack unfolded">
          <fieldset>
            <legend>Calls</legend>
            <div class="line">
              {scopes.map((s) => (
                <label class="check" key={s}>
                  <input type="checkbox" checked={d.scopes.includes(s)} onChange={(e) => set({ scopes: scopes.filter((x) => (x === s ? e.currentTarget.checked : d.scopes.includes(x))) })} /> {s}
                </label>
              ))}
            </div>
            <p class="meta">None marked: every call.</p>
          </fieldset>
          {text('models', 'models', 'Models and routes', 'Names with commas between, such as auto, small. Empty: all of them.')}
          <fieldset>
            <legend>Limits</legend>
            <p class="meta">Empty: no limit. Days and months are of UTC.</p>
            <div class="pairs">
              {text('requests', 'requests_per_minute', 'Requests a minute')}
              {text('tokens', 'tokens_per_minute', 'Tokens a minute')}
              {text('concurrent', 'concurrent_requests', 'At the same time')}
              {text('perDay', 'nano_usd_per_day', 'Dollars a day')}
              {text('perMonth', 'nano_usd_per_month', 'Dollars a month')}
            </div>
          </fieldset>
          {text('tags', 'tags', 'Tags', 'Words that the policy may ask for, with commas between, such as eu, legal.')}
          <Choice label="Text that is kept" value={d.capture} options={captures} onChange={(v) => set({ capture: v })} />
          {text('baseline', 'baseline_model', 'Default model', 'What its requests are compared with. Empty: that of the account.')}
          <Choice label="Shape of errors" value={d.errors} options={formats} onChange={(v) => set({ errors: v })} />
          <label class="check">
            <input type="checkbox" checked={d.swap} onChange={(e) => set({ swap: e.currentTarget.checked })} /> A model that was asked for by name may be replaced by another
          </label>
        </div>
      </details>
      <div class="line end">
        {onCancel ? <button type="button" class="button" onClick={onCancel}>Cancel</button> : null}
        <button type="submit" class="button main" disabled={doing.busy}>{button}</button>
      </div>
    </Form>
  )
}

function Expiry({ draft: d, ends, set, wrong }: { draft: Draft; ends: string | null | undefined; set: (d: Partial<Draft>) => void; wrong: string | undefined }) {
  const dated = d.expires.includes('-')
  const keep = ends === undefined ? [] : [['keep', ends === null ? 'Never, as it is' : `${moment(ends)}, as it is`] as const]
  const options = [...keep, ...spans.filter(([v]) => v !== '' || ends !== null), ['date', 'On a date'] as const]
  return (
    <div class="pairs">
      <Choice
        label="Ends" value={dated ? 'date' : d.expires} options={options}
        onChange={(v) => set({ expires: v === 'date' ? new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) : v })}
      />
      {dated ? <TextField label="Last day" type="date" value={d.expires} wrong={wrong} onChange={(v) => v && set({ expires: v })} /> : null}
    </div>
  )
}
