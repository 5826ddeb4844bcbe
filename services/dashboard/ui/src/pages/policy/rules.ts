// The rules of a policy: joins the rules of a draft with the figures of the active version, and
// describes them in words.
import type { Problem, Rule, RuleFigures } from './types'

/** Identifies a rule in the list, also after it has moved. */
export const ruleKey = (r: Rule): string => `${r.route}\n${r.name ?? r.text}`

/** The rules of a draft with the figures of the same rules in the active version. A rule without a name is the same while its text is. */
export function joinFigures(draft: Rule[], active: Rule[]): Rule[] {
  const known = new Map(active.map((r) => [ruleKey(r), r]))
  return draft.map((r) => {
    const same = known.get(ruleKey(r))
    return same ? { ...r, figures: same.figures, ...(same.filter ? { filter: same.filter } : {}) } : { ...r, figures: null }
  })
}

/** The rules by route, in the order of the document. */
export function groupByRoute(rules: Rule[]): { route: string; rules: Rule[] }[] {
  const groups = new Map<string, Rule[]>()
  for (const r of rules) groups.set(r.route, [...(groups.get(r.route) ?? []), r])
  return [...groups].map(([route, all]) => ({ route, rules: all }))
}

/** Which requests of the figures a user can open: all of them, those of the own account, or none. */
export function linksTo(f: RuleFigures | null): 'all' | 'some' | 'none' {
  if (!f || (f.account_requests === 0 && f.requests > 0)) return 'none'
  return f.account_requests === f.requests ? 'all' : 'some'
}

export interface Mark {
  kind: 'dead' | 'problem' | 'unused' | 'new'
  text: string
  /** Where the problem is. */
  at?: Problem
}

/**
 * What is wrong with a rule: it can never apply, it has another problem, no request used it, or it is different or
 * only in the draft. activeText is the text of the active rule; undefined if there is none.
 */
export function findMark(r: Rule, problems: Problem[], activeText: string | undefined): Mark | null {
  const path = `routes.${r.route}.select[${r.index}]`
  const own = problems.filter((p) => p.path === path || p.path.startsWith(path + '.'))
  const dead = own.find((p) => p.code === 'DEAD_RULE')
  if (dead) return { kind: 'dead', text: 'Never applies', at: dead }
  if (own[0]) return { kind: 'problem', text: 'Has a problem', at: own[0] }
  if (activeText === undefined) return { kind: 'new', text: 'Not active yet' }
  if (activeText !== r.text) return { kind: 'new', text: 'Changed in the draft' }
  if (r.figures && r.figures.requests === 0) return { kind: 'unused', text: narrows(r) ? 'No effect in this range' : 'No requests in this range' }
  return null
}

/** Whether the rule only narrows what later rules can choose. */
export const narrows = (r: Rule): boolean => r.action.some((a) => a.name === 'require')

const orderNames: Record<string, string> = {
  ordered: 'First available of', cheapest: 'Cheapest of', quality: 'Best predicted quality of', fastest: 'Fastest of', balanced: 'Best balance of quality, cost and latency of', weighted: 'Random by weight:',
}

/** What the rule does, in words. */
export function describeAction(r: Rule): string {
  const value = (name: string) => r.action.find((a) => a.name === name)?.value
  const target = value('target'), deny = value('deny'), require = value('require'), candidates = value('candidates')
  if (target !== undefined) return `Use ${target}`
  if (deny !== undefined) return `Reject: “${deny}”`
  if (require !== undefined) return `Only candidates with ${stripBrackets(require)}`
  if (candidates === undefined) return 'No action'
  const aim = value('aim'), floor = value('min_quality')
  const order = aim !== undefined ? `Aim ${stripBrackets(aim)}:` : orderNames[value('strategy') ?? 'ordered'] ?? 'One of'
  return `${order} ${stripBrackets(candidates)}${floor !== undefined ? `, quality at least ${floor}` : ''}`
}

/** Removes the brackets and braces of a short value. */
const stripBrackets = (text: string): string => text.replace(/[[\]{}]/g, '')

/** When the rule applies, in words. */
export function describeConditions(r: Rule): string {
  return r.when.length === 0 ? 'Always' : r.when.map((c) => `${c.name} ${/^[[{]/.test(c.value) ? stripBrackets(c.value) : 'is ' + c.value}`).join(' and ')
}
