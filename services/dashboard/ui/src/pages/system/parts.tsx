import { Dot, Id, Span, Time } from '../../components/bits'
import { bytes, count, plural } from '../../format'
import type { Part, SystemState } from './shapes'

const names: Record<string, [string, string, string]> = {
  ledger: ['Ledger', 'keeps the records', 'The ledger'],
  router: ['Router', 'decides which model serves', 'The router'],
  keyauth: ['Keyauth', 'knows accounts and keys', 'Keyauth'],
  carrier: ['Carrier', 'brings the records of the proxies', 'The carrier of records'],
}

/** The parts of the installation, and the facts about it. */
export function Parts({ of: s }: { of: SystemState }) {
  const away = s.parts.filter((p) => !p.ok)
  return (
    <>
      <p class="headline">{away.length === 0 ? 'Every part answers.' : <b class="lost">{away.length === 1 ? `${names[away[0]!.name]?.[2] ?? away[0]!.name} does not answer.` : `${away.length} parts do not answer.`}</b>}</p>
      <div class="columns">
        <section class="stack" aria-labelledby="parts">
          <h2 id="parts">Parts</h2>
          <ul class="parts">{s.parts.map((p) => <Line key={p.name} of={p} />)}</ul>
        </section>
        <section class="stack" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          <dl class="facts">
            <dt>Version</dt><dd>{s.version || '—'}, running since <Time at={s.started_at} as="moment" /></dd>
            <dt>Policy</dt><dd>{s.policy_version ? <Id id={s.policy_version} /> : '—'}</dd>
            <dt>Ledger</dt><dd>{s.ledger ? `${s.ledger.kind === 'postgres' ? 'Postgres' : 'SQLite'}, ${bytes(s.ledger.bytes)}` : '—'}</dd>
            <dt>Last stored</dt><dd>{s.ledger?.last_stored_at ? <Time at={s.ledger.last_stored_at} as="relative" /> : 'not lately'}</dd>
            <dt>Waiting</dt><dd>{s.ledger ? (s.ledger.waiting === 0 ? 'nothing' : plural(s.ledger.waiting, 'record')) : '—'}</dd>
            <dt>Records are kept</dt><dd>{days(s.retention.record_days)}</dd>
            <dt>Content is kept</dt><dd>{s.retention.content_days === null ? 'as long as records' : `${days(s.retention.content_days)}, where an account says nothing else`}</dd>
          </dl>
        </section>
      </div>
    </>
  )
}

const days = (n: number | null): string => (n === null ? 'for ever' : n === 1 ? 'for a day' : `for ${count(n)} days`)

function Line({ of: p }: { of: Part }) {
  const [name, does] = names[p.name] ?? [p.name, '']
  return (
    <li>
      <Dot state={p.ok ? 'good' : 'bad'} />
      <span><b>{name}</b> <span class="soft">{does}</span></span>
      {p.ok ? <span class="soft">answers in <Span us={p.took_us} /></span> : <span class="lost">{p.error} <span class="mono meta">{p.code}</span></span>}
    </li>
  )
}
