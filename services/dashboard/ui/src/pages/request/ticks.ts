/** The largest number of ticks after 0. */
const most = 5

/** Times on an axis from 0 to whole, in microseconds: round numbers, at most five after 0. */
export function timeTicks(whole: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, whole) / most))
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => whole / n <= most) ?? whole)
  return Array.from({ length: Math.floor(whole / step) + 1 }, (_, i) => Math.round(i * step))
}
