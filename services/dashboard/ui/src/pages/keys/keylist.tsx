// The keys of an account. A rotated key that still works is listed below its
// successor.
import { Time } from '../../components/basics'
import { formatRateLimits, Spend } from '../../components/limits'
import { escapeInvisible, formatDateTime, formatRelative } from '../../format'
import type { Usage } from '../../limits'
import { hasRole } from '../../role'
import { describeAccess, expiresSoon, isCurrent, isRotatingOut, type Key } from './key'

export interface KeyListProps {
  keys: Key[]
  /** Limit usage by key id. */
  used: Map<string, Usage>
  onRotate: (k: Key) => void
  onRevoke: (k: Key) => void
}

export function KeyList(p: KeyListProps) {
  return (
    <div class="keylist">
      <div class="keyrow head" aria-hidden="true"><span>Name</span><span>Access</span><span>Spent today</span><span>This month</span><span>Last used</span><span>Expires</span><span /></div>
      <ul aria-label="Keys">
        {p.keys.filter(isCurrent).map((k) => (
          <li key={k.id}>
            <KeyRow k={k} {...p} />
            {p.keys.filter((old) => isRotatingOut(old) && findSuccessor(old, p.keys) === k.id).map((old) => <RotatingKey key={old.id} k={old} onRevoke={p.onRevoke} />)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the id of the newest key in a chain of rotations. */
function findSuccessor(k: Key, keys: Key[]): string {
  const seen = new Set<string>()
  for (let at: Key | undefined = k; at?.replaced_by && !seen.has(at.id); ) {
    seen.add(at.id)
    const id: string = at.replaced_by
    at = keys.find((x) => x.id === id)
    if (!at?.replaced_by) return id
  }
  return k.id
}

function KeyRow({ k, used, onRotate, onRevoke }: KeyListProps & { k: Key }) {
  const [u, name, rates] = [used.get(k.id), escapeInvisible(k.name), formatRateLimits(k.limits)]
  return (
    <div class="keyrow">
      <span class="who"><a href={'/keys/' + k.id}>{name}</a> <span class="mono meta">{k.prefix}…</span></span>
      <span class="uses"><i>Access</i> <span>{describeAccess(k)}{rates ? <span class="meta">{rates}</span> : null}</span></span>
      <span><i>Today</i> {u ? <Spend spent={u.spent.day} of={u.limits.nano_usd_per_day} period="today" /> : '—'}</span>
      <span><i>This month</i> {u ? <Spend spent={u.spent.month} of={u.limits.nano_usd_per_month} period="this month" /> : '—'}</span>
      <span class="uses"><i>Last used</i> {k.last_used_at ? <span><Time at={k.last_used_at} as="relative" /><span class="meta">{k.last_used_from}</span></span> : <span class="soft">never</span>}</span>
      <span><i>Expires</i> {k.expires_at ? <span class={expiresSoon(k) ? 'chip fallback' : ''}><Time at={k.expires_at} as="relative" /></span> : <span class="soft">never</span>}</span>
      {hasRole('member') ? (
        <span class="acts">
          <button type="button" class="button small" aria-label={`Rotate ${name}`} onClick={() => onRotate(k)}>Rotate</button>
          <button type="button" class="button small quiet" aria-label={`Revoke ${name}`} onClick={() => onRevoke(k)}>Revoke</button>
        </span>
      ) : <span />}
    </div>
  )
}

function RotatingKey({ k, onRevoke }: { k: Key; onRevoke: (k: Key) => void }) {
  return (
    <p class="old">
      <span aria-hidden="true">└</span> Rotating: <code>{k.prefix}…</code> works until {formatDateTime(k.expires_at!)} ({k.last_used_at ? `last used ${formatRelative(k.last_used_at)}` : 'never used'})
      {hasRole('member') ? <button type="button" class="button small" aria-label={`Revoke now: ${k.prefix}`} onClick={() => onRevoke(k)}>Revoke now</button> : null}
    </p>
  )
}
