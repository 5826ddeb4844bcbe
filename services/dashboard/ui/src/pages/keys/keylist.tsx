// The keys of an account, each with the ones it replaces while these work on.
import { Time } from '../../components/bits'
import { rateWords, Spend } from '../../components/limits'
import { moment, relative, visible } from '../../format'
import type { Usage } from '../../limits'
import { may } from '../../role'
import { current, endsSoon, leaving, uses, type Key } from './key'

export interface KeyListProps {
  keys: Key[]
  /** What each key has used, by its id. */
  used: Map<string, Usage>
  onRotate: (k: Key) => void
  onRevoke: (k: Key) => void
}

export function KeyList(p: KeyListProps) {
  return (
    <div class="keylist">
      <div class="keyrow head" aria-hidden="true"><span>Name</span><span>May</span><span>Spent today</span><span>This month</span><span>Last used</span><span>Ends</span><span /></div>
      <ul aria-label="Keys">
        {p.keys.filter(current).map((k) => (
          <li key={k.id}>
            <Row k={k} {...p} />
            {p.keys.filter((old) => leaving(old) && successor(old, p.keys) === k.id).map((old) => <Old key={old.id} k={old} onRevoke={p.onRevoke} />)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The key that stands at the end of a chain of rotations. */
function successor(k: Key, keys: Key[]): string {
  const seen = new Set<string>()
  for (let at: Key | undefined = k; at?.replaced_by && !seen.has(at.id); ) {
    seen.add(at.id)
    const id: string = at.replaced_by
    at = keys.find((x) => x.id === id)
    if (!at?.replaced_by) return id
  }
  return k.id
}

function Row({ k, used, onRotate, onRevoke }: KeyListProps & { k: Key }) {
  const [u, name, rates] = [used.get(k.id), visible(k.name), rateWords(k.limits)]
  return (
    <div class="keyrow">
      <span class="who"><a href={'/keys/' + k.id}>{name}</a> <span class="mono meta">{k.prefix}…</span></span>
      <span class="uses"><i>May</i> <span>{uses(k)}{rates ? <span class="meta">{rates}</span> : null}</span></span>
      <span><i>Today</i> {u ? <Spend spent={u.spent.day} of={u.limits.nano_usd_per_day} word="today" /> : '—'}</span>
      <span><i>This month</i> {u ? <Spend spent={u.spent.month} of={u.limits.nano_usd_per_month} word="this month" /> : '—'}</span>
      <span class="uses"><i>Last used</i> {k.last_used_at ? <span><Time at={k.last_used_at} as="relative" /><span class="meta">{k.last_used_from}</span></span> : <span class="soft">never</span>}</span>
      <span><i>Ends</i> {k.expires_at ? <span class={endsSoon(k) ? 'chip fallback' : ''}><Time at={k.expires_at} as="relative" /></span> : <span class="soft">never</span>}</span>
      {may('member') ? (
        <span class="acts">
          <button type="button" class="button small" aria-label={`Rotate ${name}`} onClick={() => onRotate(k)}>Rotate</button>
          <button type="button" class="button small quiet" aria-label={`Revoke ${name}`} onClick={() => onRevoke(k)}>Revoke</button>
        </span>
      ) : <span />}
    </div>
  )
}

function Old({ k, onRevoke }: { k: Key; onRevoke: (k: Key) => void }) {
  return (
    <p class="old">
      <span aria-hidden="true">└</span> Rotating: <code>{k.prefix}…</code> works until {moment(k.expires_at!)} ({k.last_used_at ? `last used ${relative(k.last_used_at)}` : 'never used'})
      {may('member') ? <button type="button" class="button small" aria-label={`End now: ${k.prefix}`} onClick={() => onRevoke(k)}>End now</button> : null}
    </p>
  )
}
