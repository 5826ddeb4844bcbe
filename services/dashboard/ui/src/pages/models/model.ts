// A model of the catalog, joined with what this account used and measured, and the order
// of the table.
import type { AttemptStats } from '../providers/endpoint'
import type { VolumeGroup, VolumeSums } from '../spend/types'
import type { Group } from '../impact/types'

/** Micro-USD per million tokens. */
interface Amounts {
  input: number
  cache_read: number
  cache_write: number
  cache_write_1h: number | null
  output: number
}

export interface ListPrice extends Amounts {
  /** The first day of the price; null if it has none. */
  effective: string | null
  in_force: boolean
  tiers: (Amounts & { above: number })[]
  source: string | null
}

export interface ModelEndpoint {
  provider: string
  model: string
  context: number | null
  max_output: number | null
  lacks: string[]
  prices: ListPrice[]
  confidence: string | null
  note: string | null
}

export interface CatalogModel {
  id: string
  name: string | null
  kind: string
  /** Whether a configured provider serves the model. */
  served: boolean
  /** Whether the policy lists the model. Routes choose only listed models. */
  listed: boolean
  aliases: string[]
  context: number | null
  max_output: number | null
  capabilities: string[]
  unknown: string[]
  efforts: string[]
  knowledge: string | null
  status: string | null
  released: string | null
  retires: string | null
  replacement: string | null
  /** By topic, in thousandths. */
  quality: Record<string, number>
  quality_source: string | null
  endpoints: ModelEndpoint[]
}

export interface ModelRow extends CatalogModel {
  /** The cheapest price in force, by input; null if no endpoint has a price. */
  price: ListPrice | null
  /** The requests of this account in the range of the page. */
  used: Group | undefined
  /** The tokens of these requests; undefined until they are counted. */
  tokens: VolumeSums | undefined
  /** The attempts of this account at the endpoint with the most attempts. */
  measured: AttemptStats | undefined
}

export function joinModels(models: CatalogModel[], groups: Group[], attempts: AttemptStats[], volumes: VolumeGroup[] = []): ModelRow[] {
  const used = new Map(groups.map((g) => [g.group, g]))
  const tokens = new Map(volumes.map((g) => [g.group, g]))
  return models.map((m) => ({
    ...m, price: cheapestPrice(m), used: used.get(m.id), tokens: tokens.get(m.id),
    measured: attempts.filter((a) => a.model === m.id).sort((a, b) => b.attempts - a.attempts)[0],
  }))
}

const cheapestPrice = (m: CatalogModel): ListPrice | null => m.endpoints.flatMap((e) => e.prices.filter((p) => p.in_force)).sort((a, b) => a.input - b.input)[0] ?? null

/** Models that served requests whose price is unknown. */
export const unpricedGroups = (groups: Group[]): Group[] => groups.filter((g) => g.unpriced > 0 && g.group !== null && !g.other)

export const shows = ['served', 'used', 'all'] as const
export type Show = (typeof shows)[number]

/** The models that the page shows. Every word of the text must be part of the name, an alias, a provider or a capability. */
export function selectModels(rows: ModelRow[], show: Show, text: string): ModelRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((m) => (show === 'all' || (show === 'served' ? m.served : m.used !== undefined)) && words.every((w) => searchText(m).includes(w)))
}

const searchText = (m: ModelRow): string =>
  [m.id, m.name, m.kind, ...m.aliases, ...m.endpoints.map((e) => e.provider), ...m.capabilities.map(capabilityName), ...m.capabilities].join(' ').toLowerCase()

/** The columns by which the table can be sorted. Models without a value come last. */
export const sortValues: Record<string, (m: ModelRow) => number | undefined> = {
  input: (m) => m.price?.input,
  output: (m) => m.price?.output,
  context: (m) => m.context ?? undefined,
  quality: (m) => m.quality.general,
  latency: (m) => m.measured?.p50_us ?? undefined,
  requests: (m) => m.used?.requests,
  tokens: (m) => m.tokens && (m.tokens.input_tokens ?? 0) + (m.tokens.output_tokens ?? 0),
}

/** The columns whose largest value comes first. */
export const largestFirst = ['context', 'quality', 'requests', 'tokens']

export function sortModels(rows: ModelRow[], sort: string): ModelRow[] {
  const sign = largestFirst.includes(sort) ? -1 : 1
  const key = (m: ModelRow) => sign * (sortValues[sort]?.(m) ?? sign * Infinity)
  return [...rows].sort((a, b) => (key(a) === key(b) ? a.id.localeCompare(b.id) : key(a) < key(b) ? -1 : 1))
}

const capabilityNames: Record<string, string> = {
  tools: 'Tools', json_object: 'JSON', json_schema: 'JSON schema', vision: 'Images', audio: 'Audio', files: 'Files', reasoning: 'Reasoning', logprobs: 'Log probabilities', choices: 'Several choices',
}

export const capabilityName = (c: string): string => capabilityNames[c] ?? c

const maxCompared = 4

/** The models to compare that the address names. */
export const comparedIds = (text: string | null): string[] => [...new Set((text ?? '').split(',').filter(Boolean))].slice(0, maxCompared)

/** Adds a model to the comparison, or removes it. A full comparison stays as it is. */
export function toggleCompared(ids: string[], id: string): string[] {
  if (ids.includes(id)) return ids.filter((i) => i !== id)
  return ids.length >= maxCompared ? ids : [...ids, id]
}

export const isFull = (ids: string[]): boolean => ids.length >= maxCompared

/** Formats micro-USD per million tokens: $0.10, $0.075, $15.00. */
export function formatPrice(micro: number): string {
  const text = (micro / 1e6).toFixed(6).replace(/0+$/, '')
  const [whole, part = ''] = text.split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}

/** What a reader must know about the life of a model; null if nothing. today is a date such as 2026-11-16. */
export function lifecycleNote(m: CatalogModel, today: string): string | null {
  if (m.retires) return `${m.retires <= today ? 'Retired' : 'Retires'} ${m.retires}`
  return m.status === 'deprecated' ? 'Deprecated' : m.status === 'preview' ? 'Preview' : null
}
