// Shows savings in words. Savings compare the cost of routing with the baseline:
// the cost with the default model. They are negative if routing cost more.
import type { ComponentChildren } from 'preact'
import { absolute, type CostTriple, decimalPlaces, displayedSavings, formatShare, formatTotals } from '../money'
import type { Sums } from '../types'
import { CostPart, Money, Total } from './money'

export const toCostTriple = (s: Sums): CostTriple => ({ routed: s.routed_nano_usd, baseline: s.baseline_nano_usd, saved: s.saved_nano_usd })

/** Returns the savings in percent of the baseline, or a text such as "3 % more" if routing cost more. */
export function formatSavedShare(s: Sums): string {
  const text = formatShare(absolute(s.saved_nano_usd), s.baseline_nano_usd)
  return text && BigInt(s.saved_nano_usd) < 0n ? `${text} more` : text
}

/** "you saved $25.18 (66 %)" or "you paid $0.12 more (3 %)". */
export function SavingsPhrase({ of }: { of: Sums }) {
  const saved = BigInt(of.saved_nano_usd)
  if (saved === 0n) return <>the same amount</>
  const part = formatShare(absolute(saved), of.baseline_nano_usd)
  const after: ComponentChildren = part ? ` (${part})` : ''
  const text = formatTotals(toCostTriple(of)).saved.replace('−', '')
  return saved > 0n
    ? <>you saved <b class="saved"><Total nano={saved} as={text} /></b>{after}</>
    : <>you paid <b class="lost"><Total nano={-saved} as={text} /></b> more{after}</>
}

/** Savings in a table cell. */
export function SavedCell({ of }: { of: Sums }) {
  if (BigInt(of.saved_nano_usd) >= 0n) return <CostPart of={toCostTriple(of)} which="saved" />
  const to = decimalPlaces(toCostTriple(of))
  return <span class="lost">cost <Money nano={absolute(of.saved_nano_usd)} displayed={absolute(displayedSavings(toCostTriple(of), to)!)} decimals={to} /> more</span>
}
