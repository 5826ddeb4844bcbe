// What was kept, in words: less than nothing is what routing cost more.
import type { ComponentChildren } from 'preact'
import type { Nano } from '../api'
import { keptShown, places, share, totals, type Triple } from '../money'
import type { Sums } from '../types'
import { Money, Part, Total } from './money'

const size = (nano: Nano): bigint => (BigInt(nano) < 0n ? -BigInt(nano) : BigInt(nano))

export const triple = (s: Sums): Triple => ({ routed: s.routed_nano_usd, baseline: s.baseline_nano_usd, kept: s.kept_nano_usd })

/** The part of the default that was kept, or that came on top of it. */
export function keptShare(s: Sums): string {
  const text = share(size(s.kept_nano_usd), s.baseline_nano_usd)
  return text && BigInt(s.kept_nano_usd) < 0n ? `${text} more` : text
}

/** "you kept $25.18 (66 %)", "routing cost $0.12 more (3 %)". */
export function KeptWords({ of }: { of: Sums }) {
  const kept = BigInt(of.kept_nano_usd)
  if (kept === 0n) return <>just as much</>
  const part = share(size(kept), of.baseline_nano_usd)
  const after: ComponentChildren = part ? ` (${part})` : ''
  const text = totals(triple(of)).kept.replace('−', '')
  return kept > 0n
    ? <>you kept <b class="kept"><Total nano={kept} as={text} /></b>{after}</>
    : <>routing cost <b class="lost"><Total nano={-kept} as={text} /></b> more{after}</>
}

/** The same in a column. */
export function KeptCell({ of }: { of: Sums }) {
  if (BigInt(of.kept_nano_usd) >= 0n) return <Part of={triple(of)} which="kept" />
  const to = places(triple(of))
  return <span class="lost">cost <Money nano={size(of.kept_nano_usd)} as={size(keptShown(triple(of), to)!)} to={to} /> more</span>
}
