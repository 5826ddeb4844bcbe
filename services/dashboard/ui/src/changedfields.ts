/** Returns the fields of b whose values differ from those of a. Nested objects are compared field by field. */
export function pickChangedFields(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(b)) {
    if (JSON.stringify(a[name]) === JSON.stringify(value)) continue
    const nested = value !== null && typeof value === 'object' && !Array.isArray(value)
    out[name] = nested ? pickChangedFields(a[name] as Record<string, unknown>, value as Record<string, unknown>) : value
  }
  return out
}
