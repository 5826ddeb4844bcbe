/** The members of b that differ from those of a, in nested objects too. */
export function differing(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(b)) {
    if (JSON.stringify(a[name]) === JSON.stringify(value)) continue
    const nested = value !== null && typeof value === 'object' && !Array.isArray(value)
    out[name] = nested ? differing(a[name] as Record<string, unknown>, value as Record<string, unknown>) : value
  }
  return out
}
