// Changes how good a rule's choice must be, in the text of a policy: its quality floor, or the
// quality that it aims at.
import type { ReplayResult, Rule } from './types'

export interface Floor {
  kind: 'floor' | 'aim'
  value: string
}

/** How good the choice of a rule must be; null if the rule does not say it. */
export function floorOf(r: Rule): Floor | null {
  const value = (name: string) => r.action.find((a) => a.name === name)?.value
  const floor = value('min_quality'), aim = /^\{quality: ([\d.]+)\}$/.exec(value('aim') ?? '')?.[1]
  return floor !== undefined ? { kind: 'floor', value: floor } : aim !== undefined ? { kind: 'aim', value: aim } : null
}

/** Names a rule in the address. */
export const floorParam = (r: Rule): string => `${r.route}.${r.index}`

/** The rule that the address names, if it has a floor. */
export const findFloorRule = (rules: Rule[], param: string | null): Rule | undefined => rules.find((r) => floorParam(r) === param && floorOf(r) !== null)

/** Whether a text is a quality: a number from 0 to 1 with at most three decimal places. */
export const isQuality = (text: string): boolean => /^(0|1|0\.\d{1,3}|1\.0{1,3})$/.test(text)

const noComment = String.raw`^(?:(?!(?:^|\s)#).)*?`
const patterns: Record<Floor['kind'], RegExp> = {
  floor: new RegExp(String.raw`(${noComment}\bmin_quality:\s*["']?)[\d.]+`),
  aim: new RegExp(String.raw`(${noComment}\baim:\s*\{\s*quality:\s*["']?)[\d.]+`),
}

/** Returns the text with another floor of a rule; null if the floor is not found. isOnlyChange tells whether it was the floor of this rule. */
export function writeFloor(text: string, rules: Rule[], r: Rule, value: string): string | null {
  const pattern = patterns[floorOf(r)!.kind]
  const lines = text.split('\n')
  const next = Math.min(...rules.filter((x) => x.line > r.line).map((x) => x.line), lines.length + 1)
  const at = lines.findIndex((line, i) => i >= r.line - 1 && i < next - 1 && pattern.test(line))
  if (at < 0) return null
  lines[at] = lines[at]!.replace(pattern, `$1${value}`)
  return lines.join('\n')
}

/** Whether two lists of rules differ only in the floor of a rule, which now has the value. */
export function isOnlyChange(before: Rule[], after: Rule[], r: Rule, value: string): boolean {
  return after.length === before.length && after.every((x, i) => (floorParam(x) === floorParam(r) ? Number(floorOf(x)?.value) === Number(value) : x.text === before[i]!.text))
}

/** A quality that a draft tries in place of the active one. */
export interface Trial {
  /** The rule, as the address names it. */
  rule: string
  kind: Floor['kind']
  from: string
  to: string
}

/** What a text tries for a rule; null if it differs from the active document in more than this quality. */
export function findTrial(text: string, document: string, active: Rule[], r: Rule): Trial | null {
  const same = findFloorRule(active, floorParam(r)), to = floorOf(r)
  const from = same ? floorOf(same) : null
  if (!same || !to || from?.kind !== to.kind || writeFloor(document, active, same, to.value) !== text) return null
  return { rule: floorParam(r), kind: to.kind, from: from.value, to: to.value }
}

/** A trial with its replay. */
export interface Tried {
  trial: Trial
  replay: ReplayResult
}

/** The earlier trial that a new one can be compared with: another value for the same rule and active version. */
export function comparable(earlier: Tried | null, now: Trial | null): Tried | null {
  const same = (['rule', 'kind', 'from'] as const).every((k) => earlier?.trial[k] === now?.[k])
  return earlier && now && same && earlier.trial.to !== now.to ? earlier : null
}
