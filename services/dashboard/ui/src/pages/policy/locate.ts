// Finds where in a policy document the cursor is, so that the editor can propose what fits
// there. It reads the text only up to the cursor, because a text is rarely valid while it is
// typed.

/** The place of the cursor. */
export interface Place {
  /** Such as routes.*.select[].when. * is any name, and [] any item of a list. */
  path: string
  /** A field is the name of an entry. Either means that both a field and a value can follow. */
  kind: 'field' | 'value' | 'either'
  /** What is already typed, and where it starts. */
  typed: string
  from: number
}

/** An open level of the document. Levels in braces and brackets have an opening character in place of an indentation. */
interface Level {
  indent: number
  open?: '{' | '['
  segment: string | null
}

const named = new Set(['providers', 'models', 'routes', 'experiments'])

/** Returns the place of an offset; null inside a comment. */
export function locate(text: string, at: number): Place | null {
  const levels: Level[] = []
  const before = text.slice(0, at).split('\n')
  let rest: Rest = { text: '', comment: false, value: false }
  before.forEach((line, i) => {
    rest = levels.some((l) => l.open) ? scanFlow(levels, line) : scanLine(levels, line, i === before.length - 1)
  })
  if (rest.comment) return null
  const typed = rest.text.replace(/^\s*["']?/, '')
  return { path: toPath(levels), kind: levels.at(-1)?.open ? (rest.value ? 'value' : 'field') : rest.value ? 'value' : 'either', typed, from: at - typed.length }
}

/** What follows the last complete part of a line. */
interface Rest {
  text: string
  comment: boolean
  /** Whether it is a value: it follows a colon or is an item in brackets. */
  value: boolean
}

const keyPattern = /^("[^"]*"|'[^']*'|[^\s#"'{[][^#]*?)\s*:(?:\s+|$)/

/** Reads a line outside of braces and brackets. */
function scanLine(levels: Level[], line: string, isLast: boolean): Rest {
  let indent = line.length - line.trimStart().length
  let rest = line.trimStart()
  if (rest === '' && !isLast) return { text: '', comment: false, value: false }
  if (rest.startsWith('#')) return { text: rest, comment: true, value: false }
  while (/^-(\s|$)/.test(rest)) {
    while (levels.length > 0 && (levels.at(-1)!.indent > indent || (levels.at(-1)!.indent === indent && levels.at(-1)!.segment === '[]'))) levels.pop()
    levels.push({ indent, segment: '[]' })
    const gap = /^-\s*/.exec(rest)![0].length
    indent += gap
    rest = rest.slice(gap)
  }
  while (levels.length > 0 && levels.at(-1)!.indent >= indent) levels.pop()
  const key = keyPattern.exec(rest)
  if (!key) return rest.startsWith('{') || rest.startsWith('[') ? scanFlow(levels, rest) : { text: rest, comment: /\s#/.test(rest), value: false }
  levels.push({ indent, segment: unquote(key[1]!) })
  const value = rest.slice(key[0].length)
  if (value.startsWith('{') || value.startsWith('[')) return scanFlow(levels, value)
  return { text: value, comment: /(^|\s)#/.test(value), value: true }
}

/** Reads a line, or the rest of it, inside of braces and brackets. */
function scanFlow(levels: Level[], line: string): Rest {
  let start = 0
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!
    const top = levels.at(-1)
    if ((c === '"' || c === "'") && line.slice(start, i).trim() === '') {
      const end = line.indexOf(c, i + 1)
      if (end < 0) break
      i = end
    } else if (c === '#' && /(^|\s)$/.test(line.slice(0, i))) return { text: '', comment: true, value: false }
    else if (c === '{' || c === '[') {
      levels.push({ indent: Infinity, open: c, segment: c === '[' ? '[]' : null })
      start = i + 1
    } else if (c === '}' || c === ']') {
      levels.pop()
      start = i + 1
    } else if (c === ',' && top?.open) {
      if (top.open === '{') top.segment = null
      start = i + 1
    } else if (c === ':' && top?.open === '{' && top.segment === null && /^(\s|$)/.test(line.slice(i + 1))) {
      top.segment = unquote(line.slice(start, i).trim())
      start = i + 1
    }
  }
  return { text: line.slice(start), comment: false, value: (levels.at(-1)?.segment ?? null) !== null }
}

const unquote = (text: string): string => text.replace(/^["']|["']$/g, '')

function toPath(levels: Level[]): string {
  const segments = levels.map((l) => l.segment).filter((s) => s !== null)
  if (segments.length > 1 && named.has(segments[0]!)) segments[1] = '*'
  return segments.reduce((path, s) => (s === '[]' ? path + s : path ? `${path}.${s}` : s), '')
}
