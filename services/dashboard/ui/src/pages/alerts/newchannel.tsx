// The fields of a channel inside the form of an alert, while the account has no channel.
import { SelectField, TextField } from '../../components/fields'
import type { ChannelKind } from './alert'
import { channelHints, listChannelKinds } from './channelform'
import { type ChannelDraft, changeChannel } from './create'

/** The name appears with the address from which it is suggested, so that it does not look like a field to fill in. */
export function NewChannel({ email, draft: d, onDraft, error }: { email: boolean; draft: ChannelDraft; onDraft: (next: ChannelDraft) => void; error: (param: string) => string | undefined }) {
  const kinds: [ChannelDraft['kind'], string][] = [...listChannelKinds(email), ['none', 'Nowhere, only show it on this page']]
  const set = (change: Partial<ChannelDraft>) => onDraft(changeChannel(d, change))
  return (
    <>
      <SelectField label="Send to" value={d.kind} options={kinds} onChange={(kind) => set({ kind })} />
      {d.kind === 'none' ? null : (
        <>
          <TextField label={d.kind === 'email' ? 'E-mail address' : 'URL'} hint={channelHints[d.kind as ChannelKind]} value={d.address} error={error('channel_address')} onChange={(address) => set({ address })} />
          {d.address.trim() ? <TextField label="Channel name" value={d.name} error={error('channel_name')} onChange={(name) => set({ name })} /> : null}
        </>
      )}
    </>
  )
}
