// Adds entries to the text of a policy, without changing the rest of it.

/**
 * Inserts lines such as "providers:\n  openai: …" into a document: each entry goes to the
 * top of its section, or into a new section at the end. Returns null if a section is
 * written in braces, where lines cannot be inserted.
 */
export function insertLines(document: string, lines: string): string | null {
  let text = document === '' || document.endsWith('\n') ? document : document + '\n'
  for (const [, name, entries] of lines.matchAll(/^(\w+):\n((?: .*\n)*)/gm)) {
    const header = new RegExp(`^${name}:(.*)\n`, 'm').exec(text)
    if (header && !/^\s*(#.*)?$/.test(header[1]!)) return null
    const at = header ? header.index + header[0].length : text.length
    const added = header ? indentLike(text.slice(at), entries!) : `${name}:\n${entries}`
    text = text.slice(0, at) + added + text.slice(at)
  }
  return text
}

/** Indents entries, which are written with two spaces, like the entries of the section. YAML wants the same column for all of them. */
function indentLike(section: string, entries: string): string {
  const own = /^(?:\s*(?:#.*)?\n)*( +)\S/.exec(section)?.[1] ?? '  '
  return own === '  ' ? entries : entries.replace(/^ {2}/gm, own)
}
