// Warns before a model without a price takes the requests of a rule that chooses the cheapest one.
import { namesIn } from './added'
import { readEntries } from './complete'
import type { Rule } from './types'

/** Says which rule may send most of its requests to one of the models; null if none does. */
export function warnFreeModel(text: string, rules: Rule[], models: string[]): string | null {
  for (const e of readEntries(text, 'models').filter((m) => models.includes(m.name) && isFree(m.text))) {
    const rule = rules.find((r) => valueOf(r, 'strategy') === 'cheapest' && namesIn(valueOf(r, 'candidates') ?? '[]').includes(e.name) && reachesFloor(r, e.text))
    if (rule) return `${e.name} costs nothing, and ${describeFloor(rule, e.text)}, so it may take most requests of that rule. Replay the last 7 days before you publish, or raise the floor.`
  }
  return null
}

const valueOf = (r: Rule, name: string): string | undefined => r.action.find((f) => f.name === name)?.value

const isFree = (entry: string): boolean => /\bprice:\s*\{\s*input:\s*["']?0(?:\.0*)?["']?\s*,\s*output:\s*["']?0(?:\.0*)?["']?\s*\}/.test(entry)

const qualityIn = (entry: string): string | undefined => /\bquality:\s*\{[^}]*\bgeneral:\s*([\d.]+)/.exec(entry)?.[1]

/** Whether the quality is good enough. Without a known quality it counts as good enough, because the router may predict any. */
const reachesFloor = (r: Rule, entry: string): boolean => Number(qualityIn(entry) ?? 1) >= Number(valueOf(r, 'min_quality') ?? 0)

function describeFloor(r: Rule, entry: string): string {
  const floor = valueOf(r, 'min_quality'), quality = qualityIn(entry)
  if (floor === undefined) return `${r.name ?? r.label} chooses the cheapest model without a quality floor`
  return quality === undefined ? `${r.name ?? r.label} chooses the cheapest model` : `its quality ${quality} reaches the floor ${floor} of ${r.name ?? r.label}`
}
