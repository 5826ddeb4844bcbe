// What is left to do after a provider was added to a draft.
import { readEntries } from './complete'
import { quote } from './fromrequest'
import type { Rule } from './types'

export interface Added {
  provider: string
  /** Where the provider is in the draft, from 1. */
  line: number
  /** Whether it is a server of the installation, of which the catalog knows no models. */
  isLocal: boolean
  /** The models that the draft names at the provider. */
  models: string[]
  /** Whether a route names one of the models. */
  isRouted: boolean
}

/** Finds a provider in a draft; null if the draft does not have it. */
export function findAdded(text: string, provider: string | null): Added | null {
  const entry = readEntries(text, 'providers').find((e) => e.name === provider)
  if (!entry) return null
  const models = readEntries(text, 'models').filter((e) => new RegExp(`\\bprovider:\\s*["']?${escapePattern(entry.name)}["']?\\s*(?:[,}#]|$)`, 'm').test(e.text)).map((e) => e.name)
  const routes = readEntries(text, 'routes').map((e) => e.text).join('\n')
  return { provider: entry.name, line: entry.line, isLocal: /\ballow_private:\s*true/.test(entry.text), models, isRouted: models.some((m) => new RegExp(`(?:^|[\\s"'[,])${escapePattern(m)}(?:$|[\\s"'\\],@#}])`, 'm').test(routes)) }
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The line that names a model. A model of the catalog has a price and a quality. */
export const modelLine = (a: Added): string => (a.isLocal ? `  "NAME": {endpoints: [{provider: ${a.provider}, model: "NAME"}], price: {input: "0", output: "0"}, quality: {general: 0.6}}` : '  NAME: {}')

/** The line of the first rule with candidates, with a further model. */
export function candidatesLine(model: string, rules: Rule[]): string {
  const first = rules.flatMap((r) => r.action).find((f) => f.name === 'candidates')?.value ?? '[]'
  const others = first.slice(1, -1).trim()
  return `candidates: [${quote(model)}${others ? ', ' + others : ''}]`
}
