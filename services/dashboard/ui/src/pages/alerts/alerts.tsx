// Alerts: what fires now, the rules, the channels to which they are sent, and what happened.
import { useApi } from '../../api'
import { Time } from '../../components/basics'
import { Await } from '../../components/states'
import { escapeInvisible, pluralize } from '../../format'
import { usePolling } from '../../polling'
import { explainMissingRole, hasRole } from '../../role'
import { params, setParams, withParams } from '../../router'
import { type AlertsData, describeQuiet, describeRule, type Rule } from './alert'
import { ChannelDialog } from './channelform'
import { Channels } from './channels'
import { DeleteDialog } from './delete'
import { RuleDialogs } from './ruledialogs'

export function Alerts() {
  const loaded = useApi<AlertsData>('/alerts')
  usePolling(loaded.reload)
  return (
    <Await of={loaded}>
      {(d) => (
        <>
          {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'change alerts and channels')}</p>}
          <Firing data={d} />
          <Rules data={d} />
          <Channels data={d} />
          <History data={d} />
          <Dialogs data={d} />
        </>
      )}
    </Await>
  )
}

/** The dialog that the address names. */
function Dialogs({ data: d }: { data: AlertsData }) {
  const rule = params.value.get('rule')
  const channel = params.value.get('channel')
  const gone = params.value.get('delete')
  const close = () => setParams({ rule: null, channel: null, delete: null }, 'replace')
  if (!hasRole('owner')) return null
  const found = [...d.rules, ...d.channels].find((x) => x.id === gone)
  if (found) return <DeleteDialog path={'threshold' in found ? 'rules' : 'channels'} of={found} onClose={close} />
  if (rule) return <RuleDialogs key={rule} data={d} rule={d.rules.find((r) => r.id === rule)} onClose={close} />
  if (channel) return <ChannelDialog key={channel} data={d} channel={d.channels.find((c) => c.id === channel)} onClose={close} />
  return null
}

function Firing({ data: d }: { data: AlertsData }) {
  if (d.firing.length === 0) return <p class="headline">{describeQuiet(d)}</p>
  return (
    <section class="stack" aria-labelledby="firing">
      <h2 id="firing">Firing now</h2>
      <ul class="alertlist">
        {d.firing.map((f) => {
          const rule = d.rules.find((r) => r.id === f.rule_id)
          const kind = d.kinds.find((k) => k.kind === rule?.kind)
          return (
            <li key={f.incident}>
              <span><span class="chip error"><span class="label">Firing</span></span> <b>{escapeInvisible(rule?.name ?? 'Deleted alert')}</b>{f.subject ? ` (${escapeInvisible(f.subject)})` : ''}, since <Time at={f.since} as="relative" /></span>
              {kind ? <a class="button small" href={kind.runbook}>Open runbook</a> : null}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Rules({ data: d }: { data: AlertsData }) {
  return (
    <section class="stack" aria-labelledby="rules">
      <div class="line"><h2 id="rules">Alerts</h2>{hasRole('owner') ? <a class="button small" href={withParams({ rule: 'new' })}>Create alert</a> : null}</div>
      {d.rules.length === 0 ? <p class="soft">No alerts. An alert compares a figure with a threshold, and tells you when it is reached.</p> : (
        <ul class="alertlist">{d.rules.map((r) => <RuleItem key={r.id} data={d} rule={r} />)}</ul>
      )}
    </section>
  )
}

function RuleItem({ data: d, rule: r }: { data: AlertsData; rule: Rule }) {
  const kind = d.kinds.find((k) => k.kind === r.kind)
  const channels = r.channels.flatMap((id) => d.channels.find((c) => c.id === id)?.name ?? [])
  const firing = d.firing.filter((f) => f.rule_id === r.id).length
  return (
    <li>
      <span>
        <b>{escapeInvisible(r.name)}</b>{' '}
        {!r.enabled ? <span class="chip plain">Off</span> : firing > 0 ? <span class="chip error"><span class="label">Firing</span></span> : null}
        <span class="meta">{kind ? describeRule(r, kind) : r.kind} · {channels.length > 0 ? `to ${channels.map(escapeInvisible).join(', ')}` : 'sent nowhere, only shown here'}{kind ? <> · <a href={kind.runbook}>Runbook<span class="sr">: {kind.name}</span></a></> : null}</span>
      </span>
      {hasRole('owner') ? <span class="line"><a class="button small" href={withParams({ rule: r.id })} aria-label={`Edit ${r.name}`}>Edit</a><a class="button small" href={withParams({ delete: r.id })} aria-label={`Delete ${r.name}`}>Delete</a></span> : null}
    </li>
  )
}

function History({ data: d }: { data: AlertsData }) {
  return (
    <section class="stack" aria-labelledby="history">
      <h2 id="history">History</h2>
      {d.events.length === 0 ? <p class="soft">No alert has fired yet.</p> : (
        <>
          <p class="meta">The newest {pluralize(d.events.length, 'event')}.</p>
          <ul class="alertlist">
            {d.events.map((e) => <li key={e.id}><span><span class={e.firing ? 'chip error' : 'chip plain'}><span class="label">{e.firing ? 'Fired' : 'Resolved'}</span></span> {escapeInvisible(e.text)}</span><Time at={e.time} as="moment" /></li>)}
          </ul>
        </>
      )}
    </section>
  )
}
