// A model of a local server, and how it gets into a policy.
import { addCandidate, localModelLine } from '../policy/added'
import { entryNames } from '../policy/complete'
import { insertLines } from '../policy/insert'
import type { Rule } from '../policy/types'
import { localLines, type LocalServer } from './adding'

export interface LocalModel {
  provider: string
  address: string
  model: string
}

/** The usual local servers with their usual addresses, as the catalog has them. */
export const localServers: readonly { provider: string; name: string; address: string }[] = [
  { provider: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434/v1' },
  { provider: 'vllm', name: 'vLLM', address: 'http://127.0.0.1:8000/v1' },
  { provider: 'lmstudio', name: 'LM Studio', address: 'http://127.0.0.1:1234/v1' },
  { provider: 'llamacpp', name: 'llama.cpp', address: 'http://127.0.0.1:8080/v1' },
]

export const usualAddress = (provider: string): string => localServers.find((s) => s.provider === provider)?.address ?? ''

/** The address as the policy needs it: null if it is the usual one. */
export const writtenAddress = (m: LocalModel): string | null => (m.address.trim() === usualAddress(m.provider) ? null : m.address.trim() || null)

/** Whether a search that was possible did not find the server. A search covers only the usual addresses. */
export const isSilent = (found: LocalServer[] | null, m: LocalModel): boolean => found !== null && writtenAddress(m) === null && !found.some((s) => s.provider === m.provider)

/** What the form shows first: the first server that was found, with its first model. */
export function firstLocalModel(found: LocalServer[]): LocalModel {
  const server = found.find((s) => usualAddress(s.provider) !== '')
  const provider = server?.provider ?? localServers[0]!.provider
  return { provider, address: usualAddress(provider), model: server?.models[0] ?? '' }
}

/**
 * Adds a model to a policy in one step: its provider, its entry, and its name in the first rule
 * with candidates. What the policy has already stays as it is. A rule whose candidates are
 * not written in brackets stays too, and the policy page says what is left to do.
 * rules are those of the text. Returns null if lines cannot be inserted.
 */
export function insertLocalModel(text: string, rules: Rule[], m: LocalModel): string | null {
  const routed = addCandidate(text, rules, m.model)?.text ?? text
  const hasProvider = entryNames(text, 'providers').includes(m.provider), hasModel = entryNames(text, 'models').includes(m.model)
  const models = hasModel ? [] : [m.model]
  if (!hasProvider) return insertLines(routed, localLines(m.provider, models, writtenAddress(m)))
  return models.length > 0 ? insertLines(routed, `models:\n${localModelLine(m.provider, m.model)}\n`) : routed
}
