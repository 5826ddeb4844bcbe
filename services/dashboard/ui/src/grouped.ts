/** Things by what they have in common, in the order in which that was met first. */
export function grouped<T>(all: T[], key: (one: T) => string): [string, T[]][] {
  const out = new Map<string, T[]>()
  for (const one of all) out.set(key(one), [...(out.get(key(one)) ?? []), one])
  return [...out]
}
