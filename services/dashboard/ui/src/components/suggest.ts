// What can follow in a filter: fields while a field is typed, and values after it. The server
// counts the values that requests have.
import { filterTerm } from '../filter'

interface FieldInfo {
  name: string
  meaning: string
  /** The values of a field that has a fixed list of them. */
  choices?: string[]
  /** Comparisons as examples, for a field with numbers. */
  examples?: string[]
}

const text = (name: string, meaning: string): FieldInfo => ({ name, meaning })
const choice = (name: string, meaning: string, ...choices: string[]): FieldInfo => ({ name, meaning, choices })
const number = (name: string, meaning: string, ...examples: string[]): FieldInfo => ({ name, meaning, examples })

/** The fields of the filter, in the order in which they are suggested. */
export const fields: FieldInfo[] = [
  text('model', 'The model that served the request'),
  text('key', 'The name of the key'),
  choice('route', 'How the request was served', 'expected', 'fallback', 'policy'),
  choice('outcome', 'How the request ended', 'ok', 'error', 'rejected', 'interrupted', 'client_closed', 'aborted'),
  number('cost', 'The cost of all attempts', '>1m', '>$0.01', '<100u'),
  number('latency', 'The time to the last byte', '>2s', '>10s', '<500ms'),
  number('status', 'The HTTP status', '>=500', '429', '200'),
  text('code', 'The error code'),
  text('provider', 'The provider that served the request'),
  text('requested_model', 'The model or route that the client sent'),
  text('agent', 'The client program'),
  text('user', 'The end user that the client named'),
  text('session', 'The session of an agent'),
  text('tag', 'A tag of the key'),
  text('meta.NAME', 'A value of the request metadata'),
  text('rule', 'The policy rule that decided'),
  text('endpoint', 'The kind of call'),
  choice('protocol', 'The wire format of the client', 'chat', 'messages', 'responses', 'gemini'),
  number('saved', 'The cost with the default model minus the cost', '<0', '>1m'),
  number('ttft', 'The time to the first token', '>1s', '<300ms'),
  number('tokens', 'Input and output tokens', '>10k', '>100k'),
  number('gateway', 'The time that was not spent waiting for a provider', '>1ms'),
  choice('stream', 'Whether the response was streamed', 'true', 'false'),
  choice('has', 'What the record has', 'error', 'price'),
  choice('is', 'What the record is', 'unpriced'),
  text('id', 'The request ID, or the beginning of it'),
]

export interface TypedTerm {
  /** Where the term starts and ends in the filter. */
  start: number
  end: number
  excluded: boolean
  /** The field; null while it is typed. */
  field: string | null
  /** What is typed of the field or of the value. */
  typed: string
}

/** The term at the caret. */
export function termAt(filter: string, caret: number): TypedTerm {
  let term = { start: caret, end: caret }
  for (const m of filter.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    if (m.index <= caret && caret <= m.index + m[0].length) term = { start: m.index, end: m.index + m[0].length }
  }
  const whole = filter.slice(term.start, caret)
  const excluded = whole.startsWith('-')
  const body = excluded ? whole.slice(1) : whole
  const colon = body.startsWith('"') ? -1 : body.indexOf(':')
  return { ...term, excluded, field: colon < 0 ? null : body.slice(0, colon), typed: body.slice(colon + 1).replaceAll('"', '') }
}

export interface Suggestion {
  /** The text that replaces the term. */
  term: string
  label: string
  note: string
  /** The number of requests; null if it is unknown. */
  requests?: number | null
}

export interface FacetList {
  field: string
  values: { value: string; requests: number | null }[]
  sampled: boolean
}

/** The field whose values the server must count for a term; null if there is none. */
export function facetField(t: TypedTerm): string | null {
  if (t.field === null) return t.typed.startsWith('meta.') ? 'meta' : null
  const known = fields.find((f) => f.name === t.field)
  if (known) return known.examples && t.field !== 'status' || ['has', 'is', 'id'].includes(t.field) ? null : t.field
  return t.field.startsWith('meta.') && t.field.length > 5 ? t.field : null
}

/** The part of a value that the server must look for. */
export const facetText = (t: TypedTerm): string => (t.field === null ? t.typed.slice('meta.'.length) : t.typed.replace(/^[<>]=?/, ''))

/** What can replace the term at the caret. */
export function suggest(t: TypedTerm, facets: FacetList | undefined): Suggestion[] {
  return t.field === null ? suggestFields(t, facets) : suggestValues(t, t.field, facets)
}

function suggestFields(t: TypedTerm, facets: FacetList | undefined): Suggestion[] {
  const start = t.excluded ? '-' : ''
  if (t.typed.startsWith('meta.')) {
    return (facets?.values ?? []).filter((v) => /^[^\s":]+$/.test(v.value)).map((v) => ({ term: `${start}meta.${v.value}:`, label: `meta.${v.value}:`, note: 'Request metadata', requests: v.requests }))
  }
  const typed = t.typed.toLowerCase()
  const starts = fields.filter((f) => f.name.toLowerCase().startsWith(typed))
  const others = fields.filter((f) => !starts.includes(f) && typed !== '' && (f.name.includes(typed) || f.meaning.toLowerCase().includes(typed)))
  return [...starts, ...others].map((f) => (f.name === 'meta.NAME' ? { term: `${start}meta.`, label: 'meta.…', note: f.meaning } : { term: `${start}${f.name}:`, label: `${f.name}:`, note: f.meaning }))
}

function suggestValues(t: TypedTerm, field: string, facets: FacetList | undefined): Suggestion[] {
  const info = fields.find((f) => f.name === field)
  // The values may be those of a shorter text, while new ones load.
  const typed = facetText(t).toLowerCase()
  const counted = facets?.field === field ? facets.values.filter((v) => v.value.toLowerCase().includes(typed)) : []
  const fixed = [...(info?.choices ?? []), ...(info?.examples ?? [])].filter((c) => c.toLowerCase().includes(t.typed.toLowerCase()) && !counted.some((v) => v.value === c))
  const term = (value: string) => `${filterTerm(field, value, t.excluded)} `
  return [
    ...counted.map((v) => ({ term: term(v.value), label: v.value, note: '', requests: v.requests })),
    ...fixed.map((value) => ({ term: term(value), label: value, note: info?.examples ? 'Example' : '' })),
  ]
}

/** Replaces the term at the caret. Returns the filter and the new position of the caret. */
export function applySuggestion(filter: string, t: TypedTerm, s: Suggestion): { filter: string; caret: number } {
  const rest = filter.slice(t.end)
  const next = s.term.endsWith(' ') ? rest.trimStart() : rest
  return { filter: filter.slice(0, t.start) + s.term + next, caret: t.start + s.term.length }
}

/** The filter without the term at the caret, for counting. */
export const otherTerms = (filter: string, t: TypedTerm): string => `${filter.slice(0, t.start).trim()} ${filter.slice(t.end).trim()}`.trim()
