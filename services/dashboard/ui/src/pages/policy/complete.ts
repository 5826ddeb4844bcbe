// What the editor proposes at a place of the document.
import type { Place } from './locate'

/** The words of the policy format by path, as the server's checker knows them. */
export interface Words {
  fields: Record<string, string[]>
  values: Record<string, string[]>
  /** The paths of names of models, and of providers. */
  models: string[]
  providers: string[]
}

export interface Names {
  models: string[]
  providers: string[]
}

export interface Proposal {
  label: string
  kind: 'field' | 'value' | 'name'
  /** What is inserted. */
  insert: string
}

/** The proposals for a place. */
export function propose(place: Place, words: Words, names: Names): Proposal[] {
  const all: Proposal[] = []
  if (place.kind !== 'value') for (const label of words.fields[place.path] ?? []) all.push({ label, kind: 'field', insert: label.endsWith('.') ? label : label + ': ' })
  if (place.kind !== 'field') {
    for (const label of words.values[place.path] ?? []) all.push({ label, kind: 'value', insert: label })
    const own = words.models.includes(place.path) ? names.models : words.providers.includes(place.path) ? names.providers : []
    for (const label of own) all.push({ label, kind: 'name', insert: /^[\w./@-]+$/.test(label) ? label : JSON.stringify(label) })
  }
  return all
}

/** The names of the entries of a section that is written without braces, such as models. */
export function entryNames(text: string, section: string): string[] {
  const lines = text.split('\n')
  const start = lines.findIndex((l) => new RegExp(`^${section}:\\s*(#.*)?$`).test(l))
  if (start < 0) return []
  const names: string[] = []
  let indent = 0
  for (const line of lines.slice(start + 1)) {
    if (/^\s*(#.*)?$/.test(line)) continue
    const own = line.length - line.trimStart().length
    if (own === 0) break
    indent ||= own
    const name = own === indent ? /^\s+(?:"([^"]+)"|'([^']+)'|([^\s#].*?)):(\s|$)/.exec(line) : null
    if (name) names.push((name[1] ?? name[2] ?? name[3])!)
  }
  return names
}
