import type { Nano } from '../api'
import { cell, exact, total } from '../money'

/** An amount in a column, to the last digit if whole; without a price there is none, which is not nothing. */
export function Money({ nano, signed = false, whole = false }: { nano: Nano | null | undefined; signed?: boolean; whole?: boolean }) {
  if (nano === null || nano === undefined) return <span class="soft" title="The price is unknown.">—</span>
  const p = cell(nano, whole)
  const tone = !signed || BigInt(nano) === 0n ? '' : BigInt(nano) < 0n ? ' lost' : ' kept'
  return (
    <span class={'money' + tone} title={exact(nano)}>
      {p.sign}
      {p.dim ? <span class="dim">{p.dim}</span> : null}
      {p.text}
    </span>
  )
}

/** A total, exact when it is asked for. */
export function Total({ nano }: { nano: Nano | null | undefined }) {
  if (nano === null || nano === undefined) return <span>—</span>
  return <span class="money" title={exact(nano)}>{total(nano)}</span>
}
