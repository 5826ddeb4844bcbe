// The dialog that creates or edits an alert.
import { useApi } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { buildURL, withParams } from '../../router'
import type { Items } from '../../types'
import { type AlertsData, describeNow, formatWindow, type Kind, type Reading, type Rule, type RuleBody, type RuleDraft, toNewDraft, unitLabels } from './alert'
import { CreatedDialog } from './channeltest'
import { NewChannel } from './newchannel'
import { useSaveRule } from './saverule'

const fieldParams = ['name', 'threshold', 'window_seconds', 'min_requests', 'channel_name', 'channel_address']

interface Props {
  data: AlertsData
  rule: Rule | undefined
  draft: RuleDraft
  onDraft: (next: RuleDraft) => void
  onClose: () => void
}

/** Without a channel, the form has the fields of the first one, and one button creates both. */
export function RuleDialog(p: Props) {
  const { data: d, rule, draft } = p
  const kind = d.kinds.find((k) => k.kind === draft.body.kind) ?? d.kinds[0]!
  const saving = useSaveRule(p, kind.unit)
  const error = saving.mutation.fieldError
  const set = (change: Partial<RuleBody>) => p.onDraft({ ...draft, body: { ...draft.body, ...change } })
  const choose = (name: string) => p.onDraft(toNewDraft(d.kinds.find((k) => k.kind === name)!, draft.body.channels))
  if (saving.finished && saving.created) return <CreatedDialog title={saving.finished} channel={saving.created} onClose={p.onClose} />
  return (
    <Dialog open title={rule ? `Edit ${escapeInvisible(rule.name)}` : 'Create alert'} onClose={saving.leave}>
      <Form onSubmit={() => void saving.send()} error={saving.mutation.error} fieldParams={fieldParams}>
        <SelectField label="Kind" hint={kind.about} value={kind.kind} options={d.kinds.map((k) => [k.kind, k.name] as const)} onChange={choose} />
        <Figures kind={kind} threshold={draft.threshold} setThreshold={(threshold) => p.onDraft({ ...draft, threshold })} body={draft.body} set={set} error={error} />
        <Now kind={kind} windowSeconds={draft.body.window_seconds} />
        {saving.needsChannel ? <NewChannel email={d.email} draft={saving.channel} onDraft={saving.setChannel} error={error} /> : <SendTo channels={saving.channels} selected={draft.body.channels} onSelect={(channels) => set({ channels })} canCreate={!saving.created} />}
        <TextField label="Alert name" value={draft.body.name} error={error('name')} onChange={(name) => set({ name })} />
        {rule ? <label class="check"><input type="checkbox" checked={draft.body.enabled} onChange={(e) => set({ enabled: e.currentTarget.checked })} /> Evaluate this alert</label> : null}
        <FormButtons submit={rule ? 'Save' : 'Create alert'} busy={saving.mutation.busy} onCancel={saving.leave} />
      </Form>
    </Dialog>
  )
}

/** The channels that exist, and a link to create another one. */
function SendTo({ channels, selected, onSelect, canCreate }: { channels: { id: string; name: string }[]; selected: string[]; onSelect: (ids: string[]) => void; canCreate: boolean }) {
  return (
    <fieldset>
      <legend>Send to</legend>
      {channels.map((c) => (
        <label class="check" key={c.id}><input type="checkbox" checked={selected.includes(c.id)} onChange={(e) => onSelect(e.currentTarget.checked ? [...selected, c.id] : selected.filter((id) => id !== c.id))} /> {escapeInvisible(c.name)}</label>
      ))}
      {canCreate ? <p><a href={withParams({ channel: 'new' })}>Create channel</a></p> : null}
    </fieldset>
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
