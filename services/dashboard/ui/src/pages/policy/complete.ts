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

/** An entry of a section, such as a model. */
export interface Entry {
  name: string
  /** Where it starts, from 1. */
  line: number
  text: string
}

/** The entries of a section that is written without braces, such as models. */
export function readEntries(text: string, section: string): Entry[] {
  const lines = text.split('\n')
  const start = lines.findIndex((l) => new RegExp(`^${section}:\\s*(#.*)?$`).test(l))
  const entries: Entry[] = []
  let indent = 0
  for (let i = start + 1; start >= 0 && i < lines.length; i++) {
    const line = lines[i]!
    if (/^\s*(#.*)?$/.test(line)) continue
    const own = line.length - line.trimStart().length
    if (own === 0) break
    indent ||= own
    const name = own === indent ? /^\s+(?:"([^"]+)"|'([^']+)'|([^\s#].*?)):(\s|$)/.exec(line) : null
    if (name) entries.push({ name: (name[1] ?? name[2] ?? name[3])!, line: i + 1, text: line })
    else if (entries.length > 0) entries.at(-1)!.text += '\n' + line
  }
  return entries
}

/** The names of the entries of a section. */
export const entryNames = (text: string, section: string): string[] => readEntries(text, section).map((e) => e.name)
