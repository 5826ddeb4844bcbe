// The keys of an account, each with the ones it replaces while these work on.
import { Bar, Time } from '../../components/bits'
import { count, moment, relative } from '../../format'
import { exact, total } from '../../money'
import { may } from '../../role'
import { current, endsSoon, leaving, uses, type Key } from './key'
import type { Spend } from './spend'

export interface KeyListProps {
  keys: Key[]
  spend: Spend
  onRotate: (k: Key) => void
  onRevoke: (k: Key) => void
}

export function KeyList(p: KeyListProps) {
  return (
    <div class="keylist">
      <div class="keyrow head" aria-hidden="true"><span>Name</span><span>May</span><span>Limits</span><span>Last used</span><span>Ends</span><span /></div>
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

function Row({ k, spend, onRotate, onRevoke }: KeyListProps & { k: Key }) {
  return (
    <div class="keyrow">
      <span class="who"><a href={'/keys/' + k.id}>{k.name}</a> <span class="mono meta">{k.prefix}…</span></span>
      <span><i>May</i> {uses(k)}</span>
      <span><i>Limits</i> <Limits k={k} spend={spend} /></span>
      <span><i>Last used</i> {k.last_used_at ? <><Time at={k.last_used_at} as="relative" /> <span class="meta">{k.last_used_from}</span></> : <span class="soft">never</span>}</span>
      <span><i>Ends</i> {k.expires_at ? <span class={endsSoon(k) ? 'chip fallback' : ''}><Time at={k.expires_at} as="relative" /></span> : <span class="soft">never</span>}</span>
      {may('member') ? (
        <span class="acts">
          <button type="button" class="button small" aria-label={`Rotate ${k.name}`} onClick={() => onRotate(k)}>Rotate</button>
          <button type="button" class="button small quiet" aria-label={`Revoke ${k.name}`} onClick={() => onRevoke(k)}>Revoke</button>
        </span>
      ) : <span />}
    </div>
  )
}

function Limits({ k, spend }: { k: Key; spend: Spend }) {
  const rates = [
    [k.limits.requests_per_minute, 'requests/min'], [k.limits.tokens_per_minute, 'tokens/min'], [k.limits.concurrent_requests, 'at once'],
  ].filter(([n]) => n) as [number, string][]
  const { nano_usd_per_day: day, nano_usd_per_month: month } = k.budget
  if (rates.length === 0 && !day && !month) return <span class="soft">none</span>
  return (
    <span class="limits">
      {day ? <Budget used={spend.day.get(k.id) ?? 0} of={day} word="today" /> : null}
      {month ? <Budget used={spend.month.get(k.id) ?? 0} of={month} word="this month" /> : null}
      {rates.length ? <span>{rates.map(([n, what]) => `${count(n)} ${what}`).join(' · ')}</span> : null}
    </span>
  )
}

function Budget({ used, of, word }: { used: number; of: number; word: string }) {
  return <span><Bar used={used} of={of} label={`${exact(used)} of ${exact(of)} ${word}`} /> {total(used)} of {total(of)} {word}</span>
}

function Old({ k, onRevoke }: { k: Key; onRevoke: (k: Key) => void }) {
  return (
    <p class="old">
      <span aria-hidden="true">└</span> Rotating: <code>{k.prefix}…</code> works until {moment(k.expires_at!)} ({k.last_used_at ? `last used ${relative(k.last_used_at)}` : 'never used'})
      {may('member') ? <button type="button" class="button small" aria-label={`End now: ${k.prefix}`} onClick={() => onRevoke(k)}>End now</button> : null}
    </p>
  )
}
