// How a provider is added: the lines of the policy, and what to do with them.
import { formatCount, pluralize } from '../../format'
import { localModelLine } from '../policy/added'
import type { PolicyState } from '../policy/types'

export interface Supported {
  id: string
  kind: string
  variable: string | null
  base_url: string | null
  models: number
  configured: boolean
  credentials: string[]
}

export interface LocalServer {
  provider: string
  base_url: string
  models: string[]
}

/** The lines that add a provider of the catalog to a policy, with the models that were found at a local one. */
export function policyLines(p: Supported, found: LocalServer[]): string {
  if (isLocal(p.base_url)) return localLines(p.id, found.find((s) => s.provider === p.id)?.models ?? [])
  if (!p.variable) return `providers:\n  ${p.id}: {}\n`
  const own = p.base_url ? '' : '\n    base_url: https://… # your own address'
  return `providers:\n  ${p.id}:${own}\n    keys: [{ref: env:${p.variable}}]\n`
}

const isLocal = (url: string | null): boolean => /^http:\/\/(localhost|127\.|\[::1\])/.test(url ?? '')

/** The lines that add a local server and its models. address is null if the server has its usual one. */
export function localLines(provider: string, models: string[], address: string | null = null): string {
  const entries = models.map((m) => localModelLine(provider, m) + '\n')
  return `providers:\n  ${provider}: {${address ? `base_url: ${JSON.stringify(address)}, ` : ''}allow_private: true}\n${entries.length > 0 ? 'models:\n' + entries.join('') : ''}`
}

/** How the shown providers are added while the policy has this origin. Empty until the policy is known. */
export function describeAdding(policy: PolicyState | undefined, shown: Supported[]): string {
  const missing = shown.filter((p) => !p.configured)
  if (!policy || missing.length === 0) return ''
  const withVariable = missing.some((p) => p.variable), withoutVariable = missing.some((p) => !p.variable)
  const credential = withVariable ? ' The proxies read its credential from the variable, which must be set when they start.' : ''
  if (policy.read_only) return 'The policy comes from a file. Copy the lines of a provider, and add them to the file.' + credential
  if (policy.version.origin !== 'default' || !withVariable) return 'Add a provider to the draft, and publish it.' + credential
  return 'Signalbox generates the policy from the variables that are set. Set the variable of a provider, and restart.' + (withoutVariable ? ' Add a provider without a variable to the draft, and publish it.' : '')
}

/** How many providers are shown, and how many of them the policy has. */
export const countProviders = (shown: Supported[]): string => `${pluralize(shown.length, 'provider')}, ${formatCount(shown.filter((p) => p.configured).length)} configured`
