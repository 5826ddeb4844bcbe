// The channels of alerts, with the result of the newest delivery and a test button.
import { Time } from '../../components/basics'
import { escapeInvisible } from '../../format'
import { hasRole } from '../../role'
import { withParams } from '../../router'
import { type AlertsData, type Channel, formatMinutes } from './alert'
import { useChannelTest } from './channeltest'

export const channelNames = { webhook: 'Webhook', slack: 'Slack-compatible webhook', email: 'E-mail' } as const

export function Channels({ data: d }: { data: AlertsData }) {
  return (
    <section class="stack" aria-labelledby="channels">
      <div class="line"><h2 id="channels">Channels</h2>{hasRole('owner') ? <a class="button small" href={withParams({ channel: 'new' })}>Create channel</a> : null}</div>
      {d.channels.length === 0 ? <p class="soft">No channels. Alerts are shown on this page, but not sent.</p> : <ul class="alertlist">{d.channels.map((c) => <ChannelItem key={c.id} channel={c} />)}</ul>}
    </section>
  )
}

function ChannelItem({ channel: c }: { channel: Channel }) {
  const test = useChannelTest(c)
  const q = c.quiet_hours
  return (
    <li>
      <span>
        <b>{escapeInvisible(c.name)}</b>
        <span class="meta">{channelNames[c.kind]} · <span class="mono">{escapeInvisible(c.address)}</span>{q ? ` · quiet from ${formatMinutes(q.from)} to ${formatMinutes(q.to)} ${q.zone || 'UTC'}` : ''}</span>
        {c.last_at ? <span class={c.last_error ? 'meta lost' : 'meta'}>{c.last_error ? <>Not delivered <Time at={c.last_at} as="relative" />: {escapeInvisible(c.last_error)}</> : <>Delivered <Time at={c.last_at} as="relative" /></>}</span> : null}
        {test.result}
      </span>
      {hasRole('owner') ? (
        <span class="line">
          {test.button}
          <a class="button small" href={withParams({ channel: c.id })} aria-label={`Edit ${c.name}`}>Edit</a>
          <a class="button small" href={withParams({ delete: c.id })} aria-label={`Delete ${c.name}`}>Delete</a>
        </span>
      ) : null}
    </li>
  )
}
