import type { Nano } from '../api'
import { cell, exact, keptShown, places, total, type Triple } from '../money'

/** An amount in a column, with so many decimals; without a price there is none, which is not nothing. */
export function Money({ nano, as = nano, signed = false, to = 6 }: { nano: Nano | null | undefined; as?: Nano | null | undefined; signed?: boolean; to?: number }) {
  if (nano === null || nano === undefined) return <span class="soft" title="The price is unknown.">—</span>
  const p = cell(as ?? nano, to)
  const tone = !signed || BigInt(nano) === 0n ? '' : BigInt(nano) < 0n ? ' lost' : ' kept'
  return (
    <span class={'money' + tone + (p.text.length + p.dim.length > 10 ? ' fine' : '')} title={exact(nano)}>
      {p.sign}
      {p.dim ? <span class="dim">{p.dim}</span> : null}
      {p.text}
    </span>
  )
}

/** One of the three amounts of a request or a sum, of which what is shown adds up. */
export function Part({ of, which }: { of: Triple; which: keyof Triple }) {
  const to = places(of)
  return which === 'kept' ? <Money nano={of.kept} as={keptShown(of, to)} signed to={to} /> : <Money nano={of[which]} to={to} />
}

/** A total, exact when it is asked for. */
export function Total({ nano, as }: { nano: Nano | null | undefined; as?: string }) {
  if (nano === null || nano === undefined) return <span>—</span>
  return <span class="money" title={exact(nano)}>{as ?? total(nano)}</span>
}
