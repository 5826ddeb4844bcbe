import { CopyableId, Duration, StatusDot, Time } from '../../components/basics'
import { capitalizeSentence, formatBytes, pluralize } from '../../format'
import type { ComponentHealth, SystemState } from './types'

/** Maps the API's name of a component to its display name, its purpose, and its name at the start of a sentence. */
const names: Record<string, [string, string, string]> = {
  ledger: ['Ledger', 'stores request records', 'The ledger'],
  router: ['Router', 'chooses model and provider', 'The router'],
  keyauth: ['Keyauth', 'manages accounts and keys', 'Keyauth'],
  carrier: ['Record delivery', 'transfers records from the proxies to the ledger', 'Record delivery'],
}

/** The health of the installation's components, and facts about the installation. */
export function SystemComponents({ of: s }: { of: SystemState }) {
  const unavailable = s.parts.filter((p) => !p.ok)
  return (
    <>
      <p class="headline">{unavailable.length === 0 ? 'All components are healthy.' : <b class="lost">{unavailable.length === 1 ? `${names[unavailable[0]!.name]?.[2] ?? unavailable[0]!.name} is unavailable.` : `${unavailable.length} components are unavailable.`}</b>}</p>
      {s.warnings.map((w) => <p key={w} class="notice" role="status">{w}</p>)}
      <div class="columns">
        <section class="stack" aria-labelledby="parts">
          <h2 id="parts">Components</h2>
          <ul class="parts">{s.parts.map((p) => <ComponentRow key={p.name} of={p} />)}</ul>
        </section>
        <section class="stack" aria-labelledby="facts">
          <h2 id="facts">Installation</h2>
          <dl class="facts">
            <dt>Version</dt><dd>{s.version || '—'}, running since <Time at={s.started_at} as="moment" /></dd>
            <dt>Policy</dt><dd>{s.policy_version ? <CopyableId id={s.policy_version} /> : '—'}</dd>
            <dt>Database</dt><dd>{s.ledger ? `${s.ledger.kind === 'postgres' ? 'Postgres' : 'SQLite'}, ${formatBytes(s.ledger.bytes)}` : '—'}</dd>
            <dt>Last record stored</dt><dd>{s.ledger?.last_stored_at ? <Time at={s.ledger.last_stored_at} as="relative" /> : s.ledger ? 'none yet' : '—'}</dd>
            <dt>In flight</dt><dd>{s.ledger ? (s.ledger.waiting === 0 ? 'none' : pluralize(s.ledger.waiting, 'record')) : '—'}</dd>
            <dt>Record retention</dt><dd>{formatRetention(s.retention.record_days)}</dd>
            <dt>Content retention</dt><dd>{s.retention.content_days === null ? 'as long as the records' : `${formatRetention(s.retention.content_days)}, unless the account sets its own`}</dd>
          </dl>
        </section>
      </div>
    </>
  )
}

const formatRetention = (n: number | null): string => (n === null ? 'forever' : pluralize(n, 'day'))

function ComponentRow({ of: p }: { of: ComponentHealth }) {
  const [name, does] = names[p.name] ?? [p.name, '']
  return (
    <li>
      <StatusDot state={p.ok ? 'good' : 'bad'} />
      <span><b>{name}</b> <span class="soft">{does}</span></span>
      {p.ok ? <span class="soft">responds in <Duration us={p.duration_us} /></span> : <span class="lost">{capitalizeSentence(p.error ?? '')} <span class="mono meta">{p.code}</span></span>}
    </li>
  )
}
