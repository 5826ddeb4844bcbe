/** Groups items by key. Groups appear in the order of their first item. */
export function groupBy<T>(all: T[], key: (item: T) => string): [string, T[]][] {
  const out = new Map<string, T[]>()
  for (const item of all) out.set(key(item), [...(out.get(key(item)) ?? []), item])
  return [...out]
}
