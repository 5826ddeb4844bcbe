// The settings of the account. They apply to all keys of the account.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { pickChangedFields } from '../../changedfields'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { BudgetMeters, formatRateLimits, LimitFields, Rejections } from '../../components/limits'
import { Section } from '../../components/section'
import { Await } from '../../components/states'
import { findLimitError, keyNamesById, type LimitDraft, limitParams, parseLimits, toLimitDraft, useLimitUsage } from '../../limits'
import { useModelNames } from '../../models'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { showToast } from '../../toast'
import type { Account } from './types'
import { Webhook } from './webhook'

const captureOptions = [['', 'Installation default (store everything)'], ['full', 'Store everything'], ['redacted', 'Redact secrets and personal data'], ['none', 'Store nothing']] as const

const experimentOptions = [['off', 'Off'], ['on', 'Compare models on my requests']] as const

const fieldParams = ['name', 'baseline_model', 'content_days', ...limitParams]

export function Settings() {
  const loaded = useApi<Account>('/account')
  return (
    <Await of={loaded}>
      {(a) => (
        <div class="settings">
          {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'change these settings')}</p>}
          <Spending rates={formatRateLimits(a.limits)} />
          <SettingsForm a={a} />
          <Webhook of={a.webhook} />
        </div>
      )}
    </Await>
  )
}

function Spending({ rates }: { rates: string }) {
  const used = useLimitUsage()
  return (
    <Section title="Spend" docs="/docs/limits#budgets" description="The spend of all keys together. Days and months are in UTC.">
      <Await of={used} rows={2}>
        {(u) => (
          <>
            <BudgetMeters of={u.account} />
            {rates ? <dl class="facts"><dt>Rate limits</dt><dd>{rates}</dd></dl> : null}
            {u.account.refusals.length > 0 ? <><h3>Recently rejected requests</h3><Rejections all={u.account.refusals} names={keyNamesById(u)} /></> : null}
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
  experiments: 'off' | 'on'
}

const toDraft = (a: Account): Draft => ({ name: a.name, baseline: a.baseline_model ?? '', capture: a.capture ?? '', days: a.content_days === null ? '' : String(a.content_days), experiments: a.allow_experiments ? 'on' : 'off', ...toLimitDraft(a.limits) })

const toRequestBody = (d: Draft) => ({
  name: d.name, baseline_model: d.baseline.trim() || null, capture: d.capture || null, content_days: d.days.trim() ? Number(d.days) : null, limits: parseLimits(d),
  allow_experiments: d.experiments === 'on',
})

function SettingsForm({ a }: { a: Account }) {
  const from = toDraft(a)
  const [d, setDraft] = useState(from)
  const mutation = useMutation()
  const readOnly = !hasRole('owner')
  const set = (change: Partial<Draft>) => setDraft({ ...d, ...change })
  const send = () => {
    if (d.days.trim() && !/^\d{1,4}$/.test(d.days.trim())) return mutation.rejectField('content_days', 'Enter a number of days, up to 3650.')
    const bad = findLimitError(d)
    if (bad) return mutation.rejectField(bad.param, bad.message)
    const change = pickChangedFields(toRequestBody(from), toRequestBody(d))
    if (Object.keys(change).length === 0) return showToast('No changes to save.')
    void mutation.run(async () => {
      await callApi('PATCH', '/account', change)
      invalidate('/account', '/limits', '/audit')
      showToast('Settings saved.')
    })
  }
  return (
    <Form class="settings" onSubmit={send} error={mutation.error} fieldParams={fieldParams}>
      <Section title="Account">
        <TextField label="Account name" value={d.name} disabled={readOnly} error={mutation.fieldError('name')} onChange={(v) => set({ name: v })} />
        <DefaultModel value={d.baseline} original={from.baseline} disabled={readOnly} error={mutation.fieldError('baseline_model')} suggestion={mutation.error?.details.did_you_mean} onChange={(v) => set({ baseline: v })} />
      </Section>
      <Section title="Limits" anchor="limits" docs="/docs/limits" description="These limits apply to all keys together. Each key can have lower limits. Leave a field empty for no limit.">
        <LimitFields draft={d} set={set} mutation={mutation} disabled={readOnly} />
      </Section>
      <Section title="Content" docs="/docs/security#captured-content" description="The text of requests and responses. Metadata and costs are always stored.">
        <SelectField label="Content capture" hint="Keys can override this." value={d.capture} options={captureOptions} disabled={readOnly} onChange={(v) => set({ capture: v })} />
        <TextField
          label="Content retention in days" hint="Leave empty for the installation default." numeric value={d.days} disabled={readOnly}
          error={mutation.fieldError('content_days')} onChange={(v) => set({ days: v })}
        />
      </Section>
      <Section title="Experiments" docs="/docs/quality#experiments" description="The operator’s experiments send a sample of your requests to other models and to a judge, to measure quality. Only requests whose text is stored in full are sampled. Your responses and costs do not change.">
        <SelectField label="Experiments" value={d.experiments} options={experimentOptions} disabled={readOnly} onChange={(v) => set({ experiments: v })} />
      </Section>
      {readOnly ? null : <FormButtons submit="Save" busy={mutation.busy} />}
    </Form>
  )
}

/** The field for the default model. Savings are computed against the cost of this model. */
function DefaultModel(p: { value: string; original: string; disabled: boolean; error: string | undefined; suggestion: unknown; onChange: (v: string) => void }) {
  const models = useModelNames(!p.disabled).chat
  const errorText = p.error && p.suggestion ? `${p.error}. Did you mean ${p.suggestion}?` : p.error
  return (
    <>
      <TextField
        label="Default model" hint="The model you would use without Signalbox. Savings are computed against it. Leave empty for the policy’s default model." list="models"
        value={p.value} disabled={p.disabled} error={errorText} onChange={p.onChange}
      />
      <datalist id="models">{models.map((m) => <option key={m} value={m} />)}</datalist>
      {p.value.trim() !== p.original ? <p class="note" role="status">The new default model applies to future requests. The savings of past requests do not change.</p> : null}
    </>
  )
}
