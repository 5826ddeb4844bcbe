import { day, midnight } from '../format'

export interface Day {
  name: string
  /** The first row of it. */
  at: number
}

/**
 * Where in rows, the newest first, another day begins; today needs no name.
 * Only the edges of days are looked at, not every row.
 */
export function daysOf<T>(rows: T[], time: (row: T) => string): Day[] {
  const out: Day[] = []
  let name = day(Date.now())
  for (let at = 0; at < rows.length;) {
    const t = time(rows[at]!)
    if (day(t) !== name) out.push({ name: (name = day(t)), at })
    const start = midnight(t)
    let [low, high] = [at + 1, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (time(rows[middle]!) < start) high = middle
      else low = middle + 1
    }
    at = low
  }
  return out
}
