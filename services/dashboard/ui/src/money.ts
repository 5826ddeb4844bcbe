// Formats amounts in nano-USD (billionths of a dollar). Amounts stay integers,
// because floating-point numbers would change some digits. Only percentages and
// axis labels are floating-point numbers.
import type { Nano } from './api'

const nanoPerDollar = 1_000_000_000n

/** An amount in parts: the sign, leading zeros that are shown dimmed, and the other digits. */
export interface AmountParts {
  sign: string
  dim: string
  text: string
}

/** Routed cost, baseline cost, and savings (baseline minus routed). An amount is null if no price is known. */
export interface CostTriple {
  routed: Nano | null
  baseline: Nano | null
  saved: Nano | null
}

const absoluteAmounts = (t: CostTriple): bigint[] => [t.routed, t.baseline, t.saved].filter((n) => n !== null).map(absolute)

/**
 * Returns the number of decimals for amounts that are shown together: six by
 * default, nine if an amount is below a millionth of a dollar, and fewer for
 * amounts from ten dollars on.
 */
export function decimalPlaces(t: CostTriple): number {
  const all = absoluteAmounts(t)
  if (all.some((n) => n > 0n && n < 1000n)) return 9
  const most = all.reduce((a, b) => (a > b ? a : b), 0n)
  return most < 10n * nanoPerDollar ? 6 : most < 1000n * nanoPerDollar ? 4 : 2
}

/** Returns the savings to show: the difference of the rounded amounts. Thus the three amounts of a row add up as shown. */
export function displayedSavings(t: CostTriple, to: number): Nano | null {
  if (t.routed === null || t.baseline === null || t.saved === null || BigInt(t.baseline) - BigInt(t.routed) !== BigInt(t.saved)) return t.saved
  const step = 10n ** BigInt(9 - to)
  const left = (divideRounded(BigInt(t.baseline), step) - divideRounded(BigInt(t.routed), step)) * step
  // Two amounts that round to the same value must not hide their difference.
  return left === 0n ? t.saved : left
}

/** Formats an amount for a column. It uses more decimals if the given number of decimals would show only zeros. */
export function formatCell(nano: Nano, to = 6): AmountParts {
  const n = BigInt(nano)
  if (n === 0n) return { sign: '', dim: '', text: '$0' }
  const all = absolute(n)
  const millions = all >= 10_000_000n * nanoPerDollar
  const fits = all * 2n >= 10n ** BigInt(9 - to) ? to : all < 1000n ? 9 : 6
  const digits = millions ? `${formatDecimals(divideRounded(all, nanoPerDollar * 10_000n), 2)}M` : formatDecimals(divideRounded(all, 10n ** BigInt(9 - fits)), fits)
  const zeros = /^\$0\.0*/.exec(digits)?.[0] ?? ''
  return { sign: n < 0n ? '−' : '', dim: zeros, text: digits.slice(zeros.length) }
}

/**
 * Formats three amounts of one sentence with the same number of decimals, so that
 * the shown amounts add up. Amounts from one dollar on show at least cents,
 * smaller ones at least four digits. The returned function write formats further
 * amounts in the same way.
 */
export function formatTotals(t: CostTriple): Record<keyof CostTriple, string> & { write: (n: Nano) => string } {
  const all = absoluteAmounts(t)
  const most = all.reduce((a, b) => (a > b ? a : b), 0n)
  let to = most >= nanoPerDollar ? 2 : Math.min(9, 13 - most.toString().length)
  for (; to < 9; to++) {
    const near = (n: Nano | null) => divideRounded(BigInt(n ?? 0), 10n ** BigInt(9 - to))
    const hidden = all.some((n) => n > 0n && divideRounded(n, 10n ** BigInt(9 - to)) === 0n)
    if (!hidden && near(t.baseline) - near(t.routed) === near(t.saved)) break
  }
  // Remove zeros that all amounts end in.
  while (to > 2 && all.every((n) => divideRounded(n, 10n ** BigInt(9 - to)) % 10n === 0n)) to--
  const fixed = (n: Nano) => (BigInt(n) === 0n ? '$0.00' : minusSign(BigInt(n)) + formatDecimals(divideRounded(absolute(n), 10n ** BigInt(9 - to)), to))
  // Sums over requests with unknown prices may not add up with any number of decimals.
  const write = BigInt(t.baseline ?? 0) - BigInt(t.routed ?? 0) === BigInt(t.saved ?? 0) ? fixed : formatTotal
  return { routed: write(t.routed ?? 0), baseline: write(t.baseline ?? 0), saved: write(t.saved ?? 0), write }
}

export const absolute = (nano: Nano): bigint => (BigInt(nano) < 0n ? -BigInt(nano) : BigInt(nano))
const minusSign = (n: bigint): string => (n < 0n ? '−' : '')

/** Formats the exact amount without trailing zeros. */
export function formatExact(nano: Nano): string {
  const n = BigInt(nano)
  const text = formatDecimals(absolute(n), 9).replace(/(\.\d\d\d*?)0+$/, '$1')
  return minusSign(n) + text
}

/** Formats a total. From one dollar on it is rounded to cents, below one dollar to four significant digits. */
export function formatTotal(nano: Nano): string {
  const n = BigInt(nano)
  const all = absolute(n)
  if (all === 0n) return '$0.00'
  if (all >= nanoPerDollar) return minusSign(n) + formatDecimals(divideRounded(all, nanoPerDollar / 100n), 2)
  const digits = all.toString().length
  if (digits <= 4) return minusSign(n) + formatDecimals(all, 9).replace(/0+$/, '')
  const step = 10n ** BigInt(digits - 4)
  const near = divideRounded(all, step) * step
  return near >= nanoPerDollar ? `${minusSign(n)}$1.00` : minusSign(n) + formatDecimals(near, 9).replace(/0+$/, '')
}

/** Formats the labels of a dollar axis, all with the decimals that the distance of the ticks needs. */
export function formatAxisDollars(ticks: number[]): string[] {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  const isWhole = (n: number) => Math.abs(n - Math.round(n)) < 1e-6
  let to = isWhole(step) && step >= 1 ? 0 : 2
  while (to > 0 && to < 12 && !isWhole(step * 10 ** to)) to++
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: to, maximumFractionDigits: to })
  return ticks.map((n) => (n < 0 ? '−$' : '$') + format.format(Math.abs(n)))
}

/** Returns part as a percentage of whole, or null if whole is zero. */
export function percentOf(part: Nano, whole: Nano): number | null {
  const w = BigInt(whole)
  return w === 0n ? null : Number((BigInt(part) * 1_000_000n) / w) / 10_000
}

/** Formats part as a percentage of whole. Returns an empty string if whole is zero. */
export function formatShare(part: Nano, whole: Nano): string {
  const p = percentOf(part, whole)
  return p === null ? '' : formatPercent(p)
}

/** Formats a percentage with a non-breaking space before the percent sign. Values just below 100 are never rounded up to 100. */
export function formatPercent(p: number): string {
  const size = Math.abs(p)
  if (size > 0 && size < 0.1) return `${p.toPrecision(1).replace('-', '−')}\u00a0%`
  const places = size === 100 || size === 0 ? 0 : size > 99 && size < 100 ? 2 : size >= 9.95 ? 0 : 1
  const near = places === 2 ? Math.trunc(p * 100) / 100 : p
  return `${near.toFixed(places).replace('-', '−')}\u00a0%`
}

/** Formats the amount per thousand requests. Returns an empty string if there are no requests. */
export function formatPerThousand(nano: Nano, count: number): string {
  return count === 0 ? '' : formatTotal((BigInt(nano) * 1000n) / BigInt(count))
}

function divideRounded(n: bigint, step: bigint): bigint {
  return n < 0n ? -divideRounded(-n, step) : (n + step / 2n) / step
}

/** Formats n units of 10^-places dollars. */
function formatDecimals(n: bigint, places: number): string {
  const text = n.toString().padStart(places + 1, '0')
  const whole = text.slice(0, -places).replace(/\B(?=(\d{3})+$)/g, ',')
  return `$${whole}.${text.slice(-places)}`
}
