// The experiments of the policy, and how they are described.
import { formatCount } from '../../format'
import { formatTotal } from '../../money'
import type { ComparedPair } from './compared'

export interface Experiment {
  name: string
  share: number
  routes: string[]
  keys: string[]
  candidates: string[]
  judge: string
  daily_usd: string
  paused: boolean
}

export interface Setup {
  version: string
  read_only: boolean
  /** The chat routes, which an experiment can sample. */
  routes: string[]
  items: Experiment[]
}

/** What an experiment samples and compares, such as "5 % of auto: sandbox-large, judged by …". */
export function describeExperiment(e: Experiment): string {
  const from = [...e.routes, ...(e.keys.length > 0 ? [`${formatCount(e.keys.length)} keys`] : [])].join(' and ')
  return `${Number((100 * e.share).toFixed(2))} % of ${from}: ${e.candidates.join(', ')}, judged by ${e.judge}, at most ${formatTotal(Math.round(Number(e.daily_usd) * 1e9))} a day`
}

/** The state of an experiment in words. takesPart is whether the viewer's account allows experiments. */
export function describeState(e: Experiment, takesPart: boolean): string {
  if (e.paused) return 'Paused: samples nothing'
  return takesPart ? 'Running' : 'Running, without this account'
}

/** The experiment whose result can be promoted, or undefined. */
export function findPromotable(p: ComparedPair, setup: Setup | undefined): Experiment | undefined {
  if (!setup || setup.read_only || p.task !== null || (p.verdict !== 'better' && p.verdict !== 'not_worse')) return undefined
  return setup.items.find((e) => e.name === p.experiment)
}

export interface ExperimentDraft {
  name: string
  route: string
  percent: string
  candidates: string
  judge: string
  usd: string
}

const isPositive = (text: string): boolean => /^\d{1,6}(\.\d{1,6})?$/.test(text.trim()) && Number(text) > 0

/** Returns the first invalid field and what is wrong with it, or null. */
export function findDraftError(d: ExperimentDraft): [param: string, message: string] | null {
  if (!/^[\w][\w.-]*$/.test(d.name)) return ['name', 'Use letters, digits, dots, dashes and underscores.']
  if (!isPositive(d.percent) || Number(d.percent) > 100) return ['share', 'Enter a percentage, such as 5.']
  if (!d.candidates.trim()) return ['candidates', 'Name at least one model.']
  if (!d.judge.trim()) return ['judge', 'Name the model that compares the responses.']
  if (!isPositive(d.usd)) return ['daily_usd', 'Enter an amount in US dollars, such as 2.50.']
  return null
}

/** The body of the call that adds an experiment. */
export const toAddition = (d: ExperimentDraft) => ({
  action: 'add', name: d.name, routes: [d.route], share: String(Number((Number(d.percent) / 100).toFixed(4))),
  candidates: d.candidates.split(',').map((c) => c.trim()).filter(Boolean), judge: d.judge.trim(), daily_usd: d.usd.trim(),
})
