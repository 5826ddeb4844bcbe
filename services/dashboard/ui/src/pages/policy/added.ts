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

/**
 * The line that names a model of a local server. The name is quoted, because it often contains colons. Rules that
 * compare costs need the price, and rules with a quality floor or aim need the quality, which is a guess.
 */
export const localModelLine = (provider: string, model: string): string => `  ${JSON.stringify(model)}: {endpoints: [{provider: ${provider}, model: ${JSON.stringify(model)}}], price: {input: "0", output: "0"}, quality: {general: ${assumedQuality}}}`

/** The quality of a local model until the operator enters a better estimate. */
export const assumedQuality = '0.6'

/** The line that names a model. A model of the catalog has a price and a quality. */
export const modelLine = (a: Added): string => (a.isLocal ? localModelLine(a.provider, 'NAME') : '  NAME: {}')

const candidatesOf = (r: Rule): string | undefined => r.action.find((f) => f.name === 'candidates')?.value

/** The models of a list in brackets, without quotes. */
export const namesIn = (list: string): string[] => list.slice(1, -1).split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1'))

/** The line of the first rule with candidates, with a further model. */
export function candidatesLine(model: string, rules: Rule[]): string {
  const others = (rules.map(candidatesOf).find((value) => value !== undefined) ?? '[]').slice(1, -1).trim()
  return `candidates: [${others ? others + ', ' : ''}${quote(model)}]`
}

/**
 * Adds a model as the last candidate of the first rule with candidates, so that it does not
 * come before the others in a rule that goes by order. A model that is a candidate already is
 * not added again. Returns null if the list is not written in brackets on one line.
 */
export function addCandidate(text: string, rules: Rule[], model: string): { text: string; rule: Rule } | null {
  const rule = rules.find((r) => candidatesOf(r) !== undefined)
  if (!rule) return null
  if (namesIn(candidatesOf(rule)!).includes(model)) return { text, rule }
  const lines = text.split('\n')
  const next = Math.min(...rules.filter((x) => x.line > rule.line).map((x) => x.line), lines.length + 1)
  const list = /^((?:(?!(?:^|\s)#).)*?\bcandidates:\s*\[)([^\]]*[^\s\],])(,?\s*\])/
  const at = lines.findIndex((line, i) => i >= rule.line - 1 && i < next - 1 && list.test(line))
  if (at < 0) return null
  lines[at] = lines[at]!.replace(list, (_, before: string, names: string, after: string) => `${before}${names}, ${quote(model)}${after.replace(',', '')}`)
  return { text: lines.join('\n'), rule }
}
