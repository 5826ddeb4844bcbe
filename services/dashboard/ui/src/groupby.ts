/** Groups items by key. Groups appear in the order of their first item. */
export function groupBy<T>(all: T[], key: (one: T) => string): [string, T[]][] {
  const out = new Map<string, T[]>()
  for (const one of all) out.set(key(one), [...(out.get(key(one)) ?? []), one])
  return [...out]
}
