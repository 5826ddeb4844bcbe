// Money is nano-USD. It is written out of integers alone, so that what is shown
// is what is stored.
import type { Nano } from './api'

const unit = 1_000_000_000n

/** A text in parts: the sign, zeros that say little, and the rest. */
export interface Parts {
  sign: string
  dim: string
  text: string
}

/** An amount in a column: six decimals, nine where six would say nothing, or where all are wanted. */
export function cell(nano: Nano, whole = false): Parts {
  const n = BigInt(nano)
  if (n === 0n) return { sign: '', dim: '', text: '$0' }
  const size = n < 0n ? -n : n
  const digits = whole || size < 1000n ? decimals(size, 9) : decimals(rounded(size, 1000n), 6)
  const zeros = /^\$0\.0*/.exec(digits)?.[0] ?? ''
  return { sign: n < 0n ? '−' : '', dim: zeros, text: digits.slice(zeros.length) }
}

/** The exact amount, without zeros at its end. */
export function exact(nano: Nano): string {
  const n = BigInt(nano)
  const text = decimals(n < 0n ? -n : n, 9).replace(/(\.\d\d\d*?)0+$/, '$1')
  return (n < 0n ? '−' : '') + text
}

/** A total: cents from a dollar on, four digits that count below. */
export function total(nano: Nano): string {
  const n = BigInt(nano)
  const size = n < 0n ? -n : n
  const sign = n < 0n ? '−' : ''
  if (size === 0n) return '$0.00'
  if (size >= unit) return sign + decimals(rounded(size, unit / 100n), 2)
  const digits = size.toString().length
  if (digits <= 4) return sign + decimals(size, 9).replace(/0+$/, '')
  const step = 10n ** BigInt(digits - 4)
  const near = rounded(size, step) * step
  return near >= unit ? `${sign}$1.00` : sign + decimals(near, 9).replace(/0+$/, '')
}

/** What part one amount is of another, in percent; of nothing there is no part. */
export function ratio(part: Nano, whole: Nano): number | null {
  const w = BigInt(whole)
  return w === 0n ? null : Number((BigInt(part) * 1_000_000n) / w) / 10_000
}

/** The same as text, in whole percent, or with a decimal below ten. */
export function share(part: Nano, whole: Nano): string {
  const p = ratio(part, whole)
  return p === null ? '' : percent(p)
}

/** A percentage, which is never torn from its sign; all of it only if it is all. */
export function percent(p: number): string {
  const size = Math.abs(p)
  if (size > 0 && size < 0.1) return `${p.toPrecision(1).replace('-', '−')}\u00a0%`
  const places = size === 100 || size === 0 ? 0 : size > 99 && size < 100 ? 2 : size >= 10 ? 0 : 1
  const near = places === 2 ? Math.floor(p * 100) / 100 : p
  return `${near.toFixed(places).replace('-', '−')}\u00a0%`
}

/** Dollars per thousand of something. */
export function perThousand(nano: Nano, count: number): string {
  return count === 0 ? '' : total((BigInt(nano) * 1000n) / BigInt(count))
}

function rounded(n: bigint, step: bigint): bigint {
  return (n + step / 2n) / step
}

/** n counts units of 10^-places dollars. */
function decimals(n: bigint, places: number): string {
  const text = n.toString().padStart(places + 1, '0')
  const whole = text.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ',')
  return `$${whole}.${text.slice(-places)}`
}
