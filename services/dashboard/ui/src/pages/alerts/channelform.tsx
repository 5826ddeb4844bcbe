// The dialog that creates or edits a channel. The signing secret of a webhook is shown once.
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { showToast } from '../../toast'
import { type AlertsData, type Channel, type ChannelKind, formatMinutes, parseMinutes } from './alert'
import { channelNames } from './channels'
import { CreatedDialog } from './channeltest'
import { type ChannelDraft, changeChannel, type CreatedChannel } from './create'

const fieldParams = ['name', 'address', 'quiet_hours']

export const channelHints: Record<ChannelKind, string> = {
  webhook: 'A public https URL. Messages are JSON and signed.',
  slack: 'The incoming webhook of Slack, Mattermost or another service that understands its format.',
  email: 'The address of a user of this account.',
}

/** The kinds that can be created, with their names. E-mail needs a mail server. */
export const listChannelKinds = (email: boolean): [ChannelKind, string][] =>
  (Object.keys(channelNames) as ChannelKind[]).filter((k) => k !== 'email' || email).map((k) => [k, channelNames[k]])

interface Draft extends ChannelDraft<ChannelKind> {
  from: string
  to: string
  zone: string
}

function toDraft(c: Channel | undefined): Draft {
  const q = c?.quiet_hours
  return { name: c?.name ?? '', kind: c?.kind ?? 'webhook', address: '', from: q ? formatMinutes(q.from) : '', to: q ? formatMinutes(q.to) : '', zone: q?.zone || Intl.DateTimeFormat().resolvedOptions().timeZone }
}

/** The body of the API call; null if the quiet hours are not times. */
export function toBody(d: Draft) {
  if (!d.from.trim() && !d.to.trim()) return { name: d.name, kind: d.kind, address: d.address, quiet_hours: null }
  const from = parseMinutes(d.from)
  const to = parseMinutes(d.to)
  return from === null || to === null ? null : { name: d.name, kind: d.kind, address: d.address, quiet_hours: { from, to, zone: d.zone.trim() } }
}

export function ChannelDialog({ data, channel, onCreated, onClose }: { data: AlertsData; channel: Channel | undefined; onCreated?: (id: string) => void; onClose: () => void }) {
  const [d, setDraft] = useState(() => toDraft(channel))
  const [created, setCreated] = useState<CreatedChannel>()
  const mutation = useMutation()
  const set = (change: Partial<Draft>) => setDraft(changeChannel(d, change))
  const send = async () => {
    const body = toBody(d)
    if (!body) return mutation.rejectField('quiet_hours', 'Enter two times, such as 22:00 and 06:30. Leave both empty for no quiet hours.')
    let made: CreatedChannel | undefined
    const done = await mutation.run(async () => {
      const saved = await callApi<CreatedChannel>(channel ? 'PUT' : 'POST', channel ? `/alerts/channels/${channel.id}` : '/alerts/channels', body)
      if (!channel) onCreated?.(saved.id)
      if (saved.secret) made = { ...saved, name: d.name }
      await invalidate('/alerts') // the list has the channel when the dialog closes
      showToast(channel ? 'Channel saved.' : 'Channel created.')
    })
    if (done && made) setCreated(made)
    else if (done) onClose()
  }
  if (created) return <CreatedDialog title="Channel created" channel={created} onClose={onClose} />
  return (
    <Dialog open title={channel ? `Edit ${escapeInvisible(channel.name)}` : 'Create channel'} onClose={onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={fieldParams}>
        {channel ? null : <SelectField label="Kind" value={d.kind} options={listChannelKinds(data.email)} onChange={(kind) => set({ kind })} />}
        {data.email ? null : <p class="meta">E-mail needs a mail server: the operator sets <code>SIGNALBOX_SMTP_URL</code>. <a href="/docs/alerts#e-mail">Docs</a></p>}
        <TextField label={d.kind === 'email' ? 'E-mail address' : 'URL'} hint={channel ? `Leave empty to keep ${channel.address}` : channelHints[d.kind]} value={d.address} error={mutation.fieldError('address')} onChange={(address) => set({ address })} />
        <TextField label="Name" value={d.name} error={mutation.fieldError('name')} onChange={(name) => set({ name })} />
        <div class="pairs three">
          <TextField label="Quiet from" hint="Such as 22:00" value={d.from} error={mutation.fieldError('quiet_hours')} onChange={(from) => set({ from })} />
          <TextField label="Quiet to" hint="Such as 06:30" value={d.to} onChange={(to) => set({ to })} />
          <TextField label="Time zone" hint="Such as Europe/Berlin" value={d.zone} onChange={(zone) => set({ zone })} />
        </div>
        <FormButtons submit={channel ? 'Save' : 'Create channel'} busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
