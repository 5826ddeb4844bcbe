// The form to create or change a key. The most common settings come first; in
// the dialog the others are collapsed.
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { LimitFields } from '../../components/limits'
import { Section } from '../../components/section'
import { formatDateTime } from '../../format'
import { limitParams } from '../../limits'
import { completeList, useModelNames } from '../../models'
import type { Mutation } from '../../mutation'
import type { Draft } from './draft'

const scopes = ['chat', 'embeddings', 'models', 'feedback'] as const

const captureOptions = [['', 'Account default'], ['full', 'Store everything'], ['redacted', 'Redact secrets and personal data'], ['none', 'Store nothing']] as const
const errorFormats = [['', 'Default (flat)'], ['flat', 'Flat: error, code, details'], ['openai', 'Nested, as in the OpenAI API']] as const
const expiryOptions = [['', 'Never'], ['7', 'In 7 days'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In 1 year']] as const

const fieldParams = ['name', 'scopes', 'models', 'tags', 'baseline_model', 'expires_at', 'user', 'agent', ...limitParams]

export interface KeyFormProps {
  draft: Draft
  onDraft: (d: Draft) => void
  mutation: Mutation
  onSubmit: () => void
  button: string
  onCancel?: () => void
  /** When the key expires: null for never, undefined for a new key. */
  expiresAt?: string | null | undefined
  /** Shows all settings without collapsing any. */
  expanded?: boolean
}

interface PartProps {
  d: Draft
  set: (change: Partial<Draft>) => void
  mutation: Mutation
}

export function KeyForm({ draft: d, onDraft, mutation, onSubmit, button, onCancel, expiresAt, expanded }: KeyFormProps) {
  const part: PartProps = { d, mutation, set: (change) => onDraft({ ...d, ...change }) }
  const first = (
    <>
      <TextField label="Name" hint="The application or person that uses the key, such as prod-web." value={d.name} error={mutation.fieldError('name')} onChange={(v) => part.set({ name: v })} />
      <ExpiryFields {...part} expiresAt={expiresAt} />
    </>
  )
  const rest = <><AccessFields {...part} /><LimitSection {...part} /><RoutingFields {...part} /></>
  return (
    <Form onSubmit={onSubmit} error={mutation.error} fieldParams={fieldParams} class={expanded ? 'settings' : 'stack'}>
      {expanded ? <><Section title="Settings" description="Changes apply on all proxies within a second.">{first}</Section>{rest}</> : (
        <>{first}<details><summary>More settings</summary><div class="unfolded">{rest}</div></details></>
      )}
      <FormButtons submit={button} busy={mutation.busy} onCancel={onCancel} />
    </Form>
  )
}

function ExpiryFields({ d, set, mutation, expiresAt }: PartProps & { expiresAt: string | null | undefined }) {
  const dated = d.expires.includes('-')
  const keep = expiresAt === undefined ? [] : [['keep', expiresAt === null ? 'Never (no change)' : `${formatDateTime(expiresAt)} (no change)`] as const]
  const options = [...keep, ...expiryOptions.filter(([v]) => v !== '' || expiresAt !== null), ['date', 'On a date'] as const]
  return (
    <div class="pairs">
      <SelectField
        label="Expires" value={dated ? 'date' : d.expires} options={options}
        onChange={(v) => set({ expires: v === 'date' ? new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) : v })}
      />
      {dated ? <TextField label="Last valid day" type="date" value={d.expires} error={mutation.fieldError('expires_at')} onChange={(v) => v && set({ expires: v })} /> : null}
    </div>
  )
}

function AccessFields({ d, set, mutation }: PartProps) {
  const names = useModelNames().all
  return (
    <Section title="Access" docs="/docs/security#keys" description="Leave empty to allow everything.">
      <fieldset class="plain">
        <legend>API endpoints</legend>
        <div class="line">
          {scopes.map((s) => (
            <label class="check" key={s}>
              <input type="checkbox" checked={d.scopes.includes(s)} onChange={(e) => set({ scopes: scopes.filter((x) => (x === s ? e.currentTarget.checked : d.scopes.includes(x))) })} /> {s}
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        label="Models and policy routes" hint="Separate with commas. Example: auto, small" list="names" value={d.models} error={mutation.fieldError('models')}
        onChange={(v) => set({ models: v })}
      />
      <datalist id="names">{completeList(d.models, names).map((n) => <option key={n} value={n} />)}</datalist>
      <label class="check">
        <input type="checkbox" checked={d.maySwapModel} onChange={(e) => set({ maySwapModel: e.currentTarget.checked })} /> Allow routing to use a model other than the one in the request
      </label>
    </Section>
  )
}

function LimitSection({ d, set, mutation }: PartProps) {
  return (
    <Section title="Limits" docs="/docs/limits" description="Leave a field empty for no limit. Account limits also apply. Days and months are in UTC.">
      <LimitFields draft={d} set={set} mutation={mutation} />
    </Section>
  )
}

function RoutingFields({ d, set, mutation }: PartProps) {
  const names = useModelNames().chat
  return (
    <Section title="Routing and content" docs="/docs/policy#routes-and-rules">
      <TextField label="Tags" hint="Words that policy rules can match, separated by commas. Example: eu, legal" value={d.tags} error={mutation.fieldError('tags')} onChange={(v) => set({ tags: v })} />
      <TextField
        label="Default model" hint="Savings are computed against this model. Leave empty for the account’s default model." list="chat" value={d.baseline} error={mutation.fieldError('baseline_model')}
        onChange={(v) => set({ baseline: v })}
      />
      <datalist id="chat">{names.map((n) => <option key={n} value={n} />)}</datalist>
      <div class="pairs">
        <SelectField label="Content capture" value={d.capture} options={captureOptions} onChange={(v) => set({ capture: v })} />
        <TextField label="User" hint="Replaces the user that clients name, in records and budgets." value={d.user} error={mutation.fieldError('user')} onChange={(v) => set({ user: v })} />
        <TextField label="Agent" hint="Replaces the agent that clients name, in records and budgets." value={d.agent} error={mutation.fieldError('agent')} onChange={(v) => set({ agent: v })} />
        <SelectField label="Error format" hint="Choose nested for the OpenAI SDKs, LangChain and other frameworks." value={d.errorFormat} options={errorFormats} onChange={(v) => set({ errorFormat: v })} />
      </div>
    </Section>
  )
}
