// What the parts of the benchmark share: percentiles and a table that compares each figure with its must.
export const percentile = (all, p) => [...all].sort((a, b) => a - b)[Math.ceil((all.length * p) / 100) - 1]
export const median = (all) => percentile(all, 50)

const ms = (n) => (n === undefined ? 'none' : `${Math.round(n)} ms`)
let missed = 0

/** Prints one figure. ok is undefined if it has no must. */
export function print(name, value, must = '', ok = undefined) {
  if (ok === false) missed++
  console.log(`${name.padEnd(34)} ${value.padEnd(46)} ${must ? `must ${must}: ${ok ? 'met' : 'MISSED'}` : ''}`.trimEnd())
}

/** Prints the percentiles of times in milliseconds. */
export function printTimes(name, took, most) {
  const p95 = percentile(took, 95)
  print(name, `p50 ${ms(median(took))}, p95 ${ms(p95)}, ${took.length} times`, most ? `p95 ${most} ms` : '', most ? p95 <= most : undefined)
}

export const summary = () => console.log(missed ? `${missed} missed` : 'all met')
