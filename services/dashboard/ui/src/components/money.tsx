import type { Nano } from '../api'
import type { Request } from '../types'
import { type CostTriple, decimalPlaces, displayedSavings, formatCell, formatExact, formatTotal } from '../money'

/** An amount in a column. An unknown amount is shown as a dash, never as $0. If the parameter displayed is set, the column shows it in place of nano. The tooltip has the exact amount. */
export function Money({ nano, displayed = nano, signed = false, decimals = 6 }: { nano: Nano | null | undefined; displayed?: Nano | null | undefined; signed?: boolean; decimals?: number }) {
  if (nano === null || nano === undefined) return <span class="soft" title="Unknown price">—</span>
  const p = formatCell(displayed ?? nano, decimals)
  const tone = !signed || BigInt(nano) === 0n ? '' : BigInt(nano) < 0n ? ' lost' : ' saved'
  return (
    <span class={'money' + tone + (p.text.length + p.dim.length > 10 ? ' fine' : '')} title={formatExact(nano)}>
      {p.sign}
      {p.dim ? <span class="dim">{p.dim}</span> : null}
      {p.text}
    </span>
  )
}

/** The three amounts of a request. */
export const requestCosts = (r: Pick<Request, 'cost_nano_usd' | 'baseline' | 'saved_nano_usd'>): CostTriple => ({ routed: r.cost_nano_usd, baseline: r.baseline.cost_nano_usd, saved: r.saved_nano_usd })

/** One of the three amounts of a request or a sum, rounded so that the three add up as shown. */
export function CostPart({ of, which }: { of: CostTriple; which: keyof CostTriple }) {
  const to = decimalPlaces(of)
  return which === 'saved' ? <Money nano={of.saved} displayed={displayedSavings(of, to)} signed decimals={to} /> : <Money nano={of[which]} decimals={to} />
}

/** A total. The tooltip has the exact amount. */
export function Total({ nano, as }: { nano: Nano | null | undefined; as?: string }) {
  if (nano === null || nano === undefined) return <span>—</span>
  return <span class="money" title={formatExact(nano)}>{as ?? formatTotal(nano)}</span>
}
