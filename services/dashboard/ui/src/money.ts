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

/** What a request cost, what its default would have, and what that leaves; null where no price is known. */
export interface Triple {
  routed: Nano | null
  baseline: Nano | null
  kept: Nano | null
}

const amounts = (t: Triple): bigint[] => [t.routed, t.baseline, t.kept].filter((n) => n !== null).map((n) => size(BigInt(n)))

/**
 * With how many decimals a column shows amounts that belong together: six; nine
 * where six would hide one of them; fewer where they are large.
 */
export function places(t: Triple): number {
  const all = amounts(t)
  if (all.some((n) => n > 0n && n < 1000n)) return 9
  const most = all.reduce((a, b) => (a > b ? a : b), 0n)
  return most < 10n * unit ? 6 : most < 1000n * unit ? 4 : 2
}

/** What was kept as the difference of the two amounts beside it, as they are shown; the whole is exact. */
export function keptShown(t: Triple, to: number): Nano | null {
  if (t.routed === null || t.baseline === null || t.kept === null || BigInt(t.baseline) - BigInt(t.routed) !== BigInt(t.kept)) return t.kept
  const step = 10n ** BigInt(9 - to)
  const left = (rounded(BigInt(t.baseline), step) - rounded(BigInt(t.routed), step)) * step
  // Two that look the same may not hide what is between them.
  return left === 0n ? t.kept : left
}

/** An amount in a column, with so many decimals, or with more where these would say nothing. */
export function cell(nano: Nano, to = 6): Parts {
  const n = BigInt(nano)
  if (n === 0n) return { sign: '', dim: '', text: '$0' }
  const all = size(n)
  const millions = all >= 10_000_000n * unit
  const fits = all * 2n >= 10n ** BigInt(9 - to) ? to : all < 1000n ? 9 : 6
  const digits = millions ? `${decimals(rounded(all, unit * 10_000n), 2)}M` : decimals(rounded(all, 10n ** BigInt(9 - fits)), fits)
  const zeros = /^\$0\.0*/.exec(digits)?.[0] ?? ''
  return { sign: n < 0n ? '−' : '', dim: zeros, text: digits.slice(zeros.length) }
}

/**
 * Three amounts of a sentence with as many decimals as it takes for what is
 * read to add up: cents from a dollar on, four digits that count below.
 */
export function totals(t: Triple): Record<keyof Triple, string> & { write: (n: Nano) => string } {
  const all = amounts(t)
  const most = all.reduce((a, b) => (a > b ? a : b), 0n)
  let to = most >= unit ? 2 : Math.min(9, 13 - most.toString().length)
  for (; to < 9; to++) {
    const near = (n: Nano | null) => rounded(BigInt(n ?? 0), 10n ** BigInt(9 - to))
    const hidden = all.some((n) => n > 0n && rounded(n, 10n ** BigInt(9 - to)) === 0n)
    if (!hidden && near(t.baseline) - near(t.routed) === near(t.kept)) break
  }
  // Zeros that all of them end in say nothing.
  while (to > 2 && all.every((n) => rounded(n, 10n ** BigInt(9 - to)) % 10n === 0n)) to--
  const fixed = (n: Nano) => (BigInt(n) === 0n ? '$0.00' : sign(BigInt(n)) + decimals(rounded(size(BigInt(n)), 10n ** BigInt(9 - to)), to))
  // Sums that leave out what has no price may not add up with any number of digits.
  const write = BigInt(t.baseline ?? 0) - BigInt(t.routed ?? 0) === BigInt(t.kept ?? 0) ? fixed : total
  return { routed: write(t.routed ?? 0), baseline: write(t.baseline ?? 0), kept: write(t.kept ?? 0), write }
}

const size = (n: bigint): bigint => (n < 0n ? -n : n)
const sign = (n: bigint): string => (n < 0n ? '−' : '')

/** The exact amount, without zeros at its end. */
export function exact(nano: Nano): string {
  const n = BigInt(nano)
  const text = decimals(size(n), 9).replace(/(\.\d\d\d*?)0+$/, '$1')
  return sign(n) + text
}

/** A total: cents from a dollar on, four digits that count below. */
export function total(nano: Nano): string {
  const n = BigInt(nano)
  const all = size(n)
  if (all === 0n) return '$0.00'
  if (all >= unit) return sign(n) + decimals(rounded(all, unit / 100n), 2)
  const digits = all.toString().length
  if (digits <= 4) return sign(n) + decimals(all, 9).replace(/0+$/, '')
  const step = 10n ** BigInt(digits - 4)
  const near = rounded(all, step) * step
  return near >= unit ? `${sign(n)}$1.00` : sign(n) + decimals(near, 9).replace(/0+$/, '')
}

/** The marks of an axis of dollars, all with the same decimals. */
export function dollars(ticks: number[]): string[] {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  const to = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9))
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: to, maximumFractionDigits: to })
  return ticks.map((n) => (n < 0 ? '−$' : '$') + format.format(Math.abs(n)))
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
  return n < 0n ? -rounded(-n, step) : (n + step / 2n) / step
}

/** n counts units of 10^-places dollars. */
function decimals(n: bigint, places: number): string {
  const text = n.toString().padStart(places + 1, '0')
  const whole = text.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ',')
  return `$${whole}.${text.slice(-places)}`
}
