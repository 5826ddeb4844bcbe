// Names that a request may ask for, to choose from.
import { useApi } from './api'
import { boot } from './boot'
import type { Items } from './types'

export interface Names {
  /** Models that talk: what costs can be compared with. */
  chat: string[]
  /** Every model, and the routes of the policy as far as the reader may know it. */
  all: string[]
}

export function useNames(wanted = true): Names {
  const models = useApi<Items<{ id: string; kind: string }>>(wanted ? '/models' : null).data?.items ?? []
  const policy = useApi<{ version: { document: string } }>(wanted && boot.operator ? '/policy' : null).data
  return {
    chat: models.filter((m) => m.kind === 'chat').map((m) => m.id),
    all: [...routes(policy?.version.document ?? ''), ...models.map((m) => m.id)],
  }
}

/** The names of a policy's routes, out of its text. */
function routes(document: string): string[] {
  const block = /^routes:[^\S\n]*\n((?:[^\S\n].*\n?|#.*\n?|\n)*)/m.exec(document)?.[1] ?? ''
  return [...block.matchAll(/^ {2}"?([\w./-]+)"?:/gm)].map((m) => m[1]!)
}

/** What a list with commas may go on with: each name after all that stands before the last comma. */
export function continued(text: string, names: string[]): string[] {
  const at = text.lastIndexOf(',') + 1
  const before = at === 0 ? '' : text.slice(0, at) + ' '
  const taken = text.slice(0, at).split(',').map((w) => w.trim())
  return names.filter((n) => !taken.includes(n)).map((n) => before + n)
}
