import { formatDay, startOfDay } from '../format'

export interface DayBreak {
  name: string
  /** The index of the day's first row. */
  firstRow: number
}

/**
 * Finds where another day starts in rows that are sorted newest first. Today
 * gets no entry. Each day's last row is found by binary search, so most rows
 * are not read.
 */
export function findDayBreaks<T>(rows: T[], time: (row: T) => string): DayBreak[] {
  const out: DayBreak[] = []
  let name = formatDay(Date.now())
  for (let at = 0; at < rows.length;) {
    const t = time(rows[at]!)
    if (formatDay(t) !== name) out.push({ name: (name = formatDay(t)), firstRow: at })
    const start = startOfDay(t)
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
