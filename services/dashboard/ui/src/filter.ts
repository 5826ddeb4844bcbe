// Adds terms to filters and removes them. A filter is a list of terms such as
// model:gpt*. Only the server parses the terms.

/** Splits a filter into its terms, at spaces outside of quotes. */
export function splitFilter(filter: string): string[] {
  return filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []
}

/** Builds the term field:value. The value is quoted where the grammar requires it. If not is true, the term excludes the value. */
export function filterTerm(field: string, value: string, not = false): string {
  const plain = /^[^\s"*:]+$/.test(value) || (field === 'model' && /^[^\s"*]+$/.test(value))
  return `${not ? '-' : ''}${field}:${plain ? value : `"${value.replaceAll('"', '')}"`}`
}

/** Adds a term unless the filter already has it. */
export function addTerm(filter: string, term: string): string {
  const terms = splitFilter(filter)
  return terms.includes(term) ? filter : [...terms, term].join(' ')
}

/** Removes a term from the filter. */
export function removeTerm(filter: string, term: string): string {
  return splitFilter(filter).filter((t) => t !== term).join(' ')
}
