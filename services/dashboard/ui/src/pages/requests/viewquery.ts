/** The parameters that a view saves, in this order. The open request is no part of a view. */
const saved = ['q', 'range', 'sort', 'order', 'cols']

/** The query string of the current view. Equal views have equal strings. */
export function viewQuery(params: URLSearchParams): string {
  const out = new URLSearchParams()
  for (const name of saved) {
    const value = params.get(name)
    if (value) out.set(name, value)
  }
  return out.toString()
}
