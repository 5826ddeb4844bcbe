// Derives a rule from a recorded request.
import type { RequestDetail } from '../../types'
import type { Rule } from './types'

/** A condition that the request meets. */
export interface Suggestion {
  field: string
  /** The value, as it is written in the document. */
  value: string
  /** In words. */
  text: string
  /** Part of a name for the rule. */
  short: string
}

/** The conditions that a request meets, the most specific to its purpose first. */
export function suggestConditions(r: RequestDetail): Suggestion[] {
  const i = r.inputs
  const all: Suggestion[] = []
  const add = (field: string, value: string, text: string, short: string) => all.push({ field, value, text, short })
  const tags = i?.tags ?? []
  if (tags.length > 0) add('key.tag', list(tags), `the key has the tag ${tags.join(' or ')}`, tags[0]!)
  for (const [name, value] of Object.entries(i?.metadata ?? {})) add(`request.metadata.${name}`, quote(value), `the metadata ${name} is ${value}`, `${name}-${value}`)
  add('key.id', quote(r.key_id), `the key is ${r.key_name}`, `key-${r.key_name}`)
  if (i && i.needs.length > 0) add('request.capability', list(i.needs), `the request needs ${i.needs.join(' or ')}`, `needs-${i.needs[0]}`)
  if (i && i.input_tokens > 0) add('request.tokens', `{gte: ${i.input_tokens}}`, `the input has at least ${i.input_tokens} tokens`, 'long-input')
  add('request.stream', String(r.stream), r.stream ? 'the client requests a stream' : 'the client does not request a stream', r.stream ? 'streams' : 'no-streams')
  return all
}

/** The route whose rules decide such requests: the requested one, or auto. */
export function findRoute(r: RequestDetail, routes: string[]): string {
  const wanted = r.requested_model === 'auto' && r.endpoint === 'embeddings' ? 'auto-embed' : r.requested_model.replace(/^auto:.*/, 'auto')
  return routes.includes(wanted) ? wanted : (routes.find((n) => n === 'auto') ?? routes[0] ?? '')
}

export type RuleAction = { kind: 'target'; model: string } | { kind: 'deny'; message: string }

/** Writes a rule in braces on one line. */
export function writeRule(name: string, when: Suggestion[], action: RuleAction): string {
  const parts = [`name: ${quote(name)}`]
  if (when.length > 0) parts.push(`when: {${when.map((c) => `${quote(c.field)}: ${c.value}`).join(', ')}}`)
  parts.push(action.kind === 'target' ? `target: ${quote(action.model)}` : `deny: ${quote(action.message)}`)
  return `{${parts.join(', ')}}`
}

/** A name that no rule of the route has. */
export function freeName(wanted: string, route: string, rules: Rule[]): string {
  const taken = new Set(rules.filter((r) => r.route === route).map((r) => r.name))
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!taken.has(name)) return name
  }
}

/** Proposes a name from the first condition. */
export function suggestName(when: Suggestion[]): string {
  return (when[0]?.short ?? 'all-requests').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40) || 'rule'
}

const list = (values: string[]): string => (values.length === 1 ? quote(values[0]!) : `[${values.map(quote).join(', ')}]`)

/** Quotes a text, unless YAML reads it as the same text without quotes. */
export function quote(text: string): string {
  const isPlain = /^[A-Za-z_][\w./@-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(text)
  return isPlain ? text : JSON.stringify(text)
}
