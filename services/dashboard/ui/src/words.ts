// A filter as words: the server understands it, the page only puts words in
// and takes them out.

/** Splits at spaces that are not in quotes. */
export function split(filter: string): string[] {
  return filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []
}

/** A word for a field's value, in quotes where it needs them. */
export function word(field: string, value: string, not = false): string {
  const plain = /^[^\s"*:]+$/.test(value) || (field === 'model' && /^[^\s"*]+$/.test(value))
  return `${not ? '-' : ''}${field}:${plain ? value : `"${value.replaceAll('"', '')}"`}`
}

/** Adds a word that is not there yet. */
export function add(filter: string, w: string): string {
  const words = split(filter)
  return words.includes(w) ? filter : [...words, w].join(' ')
}

/** Takes a word out. */
export function remove(filter: string, w: string): string {
  return split(filter).filter((x) => x !== w).join(' ')
}
