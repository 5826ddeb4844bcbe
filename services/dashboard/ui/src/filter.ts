// Edits filters as lists of terms. The server parses them; the pages only add
// and remove terms.

/** Splits a filter into its terms, at spaces outside of quotes. */
export function splitFilter(filter: string): string[] {
  return filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []
}

/** Builds the term field:value. The value is quoted where the grammar requires it. */
export function filterTerm(field: string, value: string, not = false): string {
  const plain = /^[^\s"*:]+$/.test(value) || (field === 'model' && /^[^\s"*]+$/.test(value))
  return `${not ? '-' : ''}${field}:${plain ? value : `"${value.replaceAll('"', '')}"`}`
}

/** Adds a term unless the filter already has it. */
export function addTerm(filter: string, w: string): string {
  const words = splitFilter(filter)
  return words.includes(w) ? filter : [...words, w].join(' ')
}

/** Removes a term. */
export function removeTerm(filter: string, w: string): string {
  return splitFilter(filter).filter((x) => x !== w).join(' ')
}
