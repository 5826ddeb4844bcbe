// The dialog of an alert, and the one that creates a channel for it.
import { useState } from 'preact/hooks'
import { params, setParams } from '../../router'
import { type AlertsData, type Rule, toRuleDraft } from './alert'
import { ChannelDialog } from './channelform'
import { RuleDialog } from './ruleform'

/** Keeps what was typed for the alert while the user creates a channel, and then selects the channel. */
export function RuleDialogs({ data: d, rule, onClose }: { data: AlertsData; rule: Rule | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState(() => toRuleDraft(rule, d))
  const channel = params.value.get('channel')
  if (!channel) return <RuleDialog data={d} rule={rule} draft={draft} onDraft={setDraft} onClose={onClose} />
  const select = (id: string) => setDraft({ ...draft, body: { ...draft.body, channels: [...draft.body.channels, id] } })
  return <ChannelDialog key={channel} data={d} channel={d.channels.find((c) => c.id === channel)} onCreated={select} onClose={() => setParams({ channel: null }, 'replace')} />
}
