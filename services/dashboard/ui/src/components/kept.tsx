// What was kept, in words: less than nothing is what routing cost more.
import type { ComponentChildren } from 'preact'
import type { Nano } from '../api'
import { share } from '../money'
import type { Sums } from '../types'
import { Money, Total } from './money'

const size = (nano: Nano): bigint => (BigInt(nano) < 0n ? -BigInt(nano) : BigInt(nano))

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
  return kept > 0n
    ? <>you kept <b class="kept"><Total nano={kept} /></b>{after}</>
    : <>routing cost <b class="lost"><Total nano={-kept} /></b> more{after}</>
}

/** The same in a column. */
export function KeptCell({ nano }: { nano: Nano }) {
  return BigInt(nano) < 0n ? <span class="lost">cost <Money nano={size(nano)} /> more</span> : <Money nano={nano} signed />
}
