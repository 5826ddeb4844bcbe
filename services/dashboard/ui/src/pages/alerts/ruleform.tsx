// The dialog that creates or edits an alert.
import { callApi, invalidate, useApi } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { buildURL, withParams } from '../../router'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { type AlertsData, describeNow, formatWindow, type Kind, parseThreshold, type Reading, type Rule, type RuleBody, type RuleDraft, toNewDraft, unitLabels } from './alert'

const fieldParams = ['name', 'threshold', 'window_seconds', 'min_requests']

export function RuleDialog({ data: d, rule, draft, onDraft, onClose }: { data: AlertsData; rule: Rule | undefined; draft: RuleDraft; onDraft: (next: RuleDraft) => void; onClose: () => void }) {
  const { body, threshold } = draft
  const kind = d.kinds.find((k) => k.kind === body.kind) ?? d.kinds[0]!
  const mutation = useMutation()
  const set = (change: Partial<RuleBody>) => onDraft({ ...draft, body: { ...body, ...change } })
  const choose = (name: string) => onDraft(toNewDraft(d.kinds.find((k) => k.kind === name)!, body.channels))
  const send = async () => {
    const parsed = parseThreshold(threshold, kind.unit)
    if (parsed === null) return mutation.rejectField('threshold', 'Enter a number, such as 5 or 0.5.')
    const done = await mutation.run(async () => {
      await callApi(rule ? 'PUT' : 'POST', rule ? `/alerts/rules/${rule.id}` : '/alerts/rules', { ...body, threshold: parsed })
      await invalidate('/alerts')
      showToast(rule ? 'Alert saved.' : 'Alert created.')
    })
    if (done) onClose()
  }
  return (
    <Dialog open title={rule ? `Edit ${escapeInvisible(rule.name)}` : 'Create alert'} onClose={onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={fieldParams}>
        {d.channels.length === 0 ? <p>There are no channels yet, so the alert is only shown on this page. <a href={withParams({ channel: 'new' })}>Create a channel first</a>, and return to this form.</p> : null}
        <SelectField label="Kind" value={kind.kind} options={d.kinds.map((k) => [k.kind, k.name] as const)} onChange={choose} />
        <p class="meta">{kind.about} <a href={kind.runbook}>Runbook</a></p>
        <TextField label="Name" value={body.name} error={mutation.fieldError('name')} onChange={(name) => set({ name })} />
        <Figures kind={kind} threshold={threshold} setThreshold={(typed) => onDraft({ ...draft, threshold: typed })} body={body} set={set} error={mutation.fieldError} />
        <Now kind={kind} windowSeconds={body.window_seconds} />
        {d.channels.length === 0 ? null : (
          <fieldset>
            <legend>Send to</legend>
            {d.channels.map((c) => (
              <label class="check" key={c.id}><input type="checkbox" checked={body.channels.includes(c.id)} onChange={(e) => set({ channels: e.currentTarget.checked ? [...body.channels, c.id] : body.channels.filter((id) => id !== c.id) })} /> {escapeInvisible(c.name)}</label>
            ))}
            <p><a href={withParams({ channel: 'new' })}>Create channel</a></p>
          </fieldset>
        )}
        <label class="check"><input type="checkbox" checked={body.enabled} onChange={(e) => set({ enabled: e.currentTarget.checked })} /> Evaluate this alert</label>
        <FormButtons submit={rule ? 'Save' : 'Create alert'} busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** What the kind measures now, so that the user can choose a threshold. */
function Now({ kind, windowSeconds }: { kind: Kind; windowSeconds: number }) {
  const measured = useApi<Items<Reading>>(buildURL('/alerts/values', { kind: kind.kind, window_seconds: windowSeconds > 0 ? String(windowSeconds) : null }))
  return <p class="meta">{measured.data ? describeNow(measured.data.items, kind) : measured.error ? 'The current value could not be loaded.' : 'Loading the current value…'}</p>
}

function Figures(p: { kind: Kind; threshold: string; setThreshold: (t: string) => void; body: { window_seconds: number; min_requests: number }; set: (c: { window_seconds?: number; min_requests?: number }) => void; error: (param: string) => string | undefined }) {
  return (
    <div class="pairs">
      {p.kind.unit === 'none' ? null : <TextField label={unitLabels[p.kind.unit]} numeric value={p.threshold} error={p.error('threshold')} onChange={p.setThreshold} />}
      {p.kind.windows.length === 0 ? null : <SelectField label="Measured over" value={String(p.body.window_seconds)} options={p.kind.windows.map((w) => [String(w), formatWindow(w)] as const)} onChange={(w) => p.set({ window_seconds: Number(w) })} />}
      {p.kind.requests ? <TextField label="Minimum requests" hint="With fewer requests the alert does not fire." numeric value={String(p.body.min_requests)} error={p.error('min_requests')} onChange={(t) => p.set({ min_requests: Number(t.replace(/\D/g, '')) })} /> : null}
    </div>
  )
}
