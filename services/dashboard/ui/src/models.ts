// Model and route names, for suggestions in forms.
import { useApi } from './api'
import { boot } from './boot'
import type { Items } from './types'

export interface ModelNames {
  /** Chat models. Only a chat model can be the default model. */
  chat: string[]
  /** All models and, for operators, the routes of the policy. */
  all: string[]
}

export function useModelNames(wanted = true): ModelNames {
  const models = useApi<Items<{ id: string; kind: string }>>(wanted ? '/models' : null).data?.items ?? []
  const policy = useApi<{ version: { document: string } }>(wanted && boot.operator ? '/policy' : null).data
  return {
    chat: models.filter((m) => m.kind === 'chat').map((m) => m.id),
    all: [...withPresets(parseRouteNames(policy?.version.document ?? '')), ...models.map((m) => m.id)],
  }
}

/** Returns the route names in the text of a policy. */
function parseRouteNames(document: string): string[] {
  const block = /^routes:[^\S\n]*\n((?:[^\S\n].*\n?|#.*\n?|\n)*)/m.exec(document)?.[1] ?? ''
  return [...block.matchAll(/^ {2}"?([\w.:/-]+?)"?:(?:\s|$)/gm)].map((m) => m[1]!)
}

/** Adds the routes that exist beside auto even if the document does not define them. */
function withPresets(routes: string[]): string[] {
  return routes.includes('auto') ? [...new Set([...routes, 'auto:economy', 'auto:balanced', 'auto:quality'])] : routes
}

/** Returns completions of a comma-separated list. Each one is the text up to the last comma, followed by a name that the text does not contain. */
export function completeList(text: string, names: string[]): string[] {
  const at = text.lastIndexOf(',') + 1
  const before = at === 0 ? '' : text.slice(0, at) + ' '
  const taken = text.slice(0, at).split(',').map((w) => w.trim())
  return names.filter((n) => !taken.includes(n)).map((n) => before + n)
}
