// Why requests failed or were rejected, and how that changed. The server writes the sentences.
import { narrowFilter } from '../../requestlinks'

export interface Cause {
  code: string | null
  sentence: string
  /** What to do: the end of the sentence, after the colon. */
  action: string
  requests: number
  /** The requests with this cause in the preceding period of the same length. */
  before: number
  /** The first and the last request of the range with this cause. */
  first_seen: string
  last_seen: string
  next_step: { text: string; link: string }
  docs: string
  steps: { time: string; requests: number }[]
  /** The filter that selects the requests; null if there is none. */
  filter: string | null
}

export interface ErrorsData {
  from: string
  to: string
  step_seconds: number
  requests: number
  items: Cause[]
  other_groups: number
  other_requests: number
  /** All requests by code. A code can have several causes. */
  codes: CodeCount[]
}

export interface CodeCount {
  code: string | null
  requests: number
}

/** The filter that selects the requests with a code; null if there is none. */
export const codeFilter = (code: string | null): string | null => (code === null ? 'has:error -code:*' : narrowFilter('', 'code', code))

/** Splits what happened into the number of requests, which becomes a link, and the rest. The action is left out. */
export function splitSentence({ sentence, action }: Pick<Cause, 'sentence' | 'action'>): [count: string, rest: string] {
  const count = /^[\d,]+ requests?/.exec(sentence)?.[0] ?? ''
  return [count, sentence.slice(count.length, sentence.endsWith(': ' + action) ? -action.length - 2 : undefined)]
}

/** Says that a cause has stopped: no request had it in the last hours of the range. */
export function describeSilence(to: string, lastSeen: string): string | null {
  const hours = Math.floor((Date.parse(to) - Date.parse(lastSeen)) / 3_600_000)
  return hours < 1 ? null : `Not in the last ${hours === 1 ? 'hour' : hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`}`
}

/** How the number of requests compares with the preceding period. */
export function describeTrend(now: number, before: number): { word: string; worse: boolean } {
  if (before === 0) return { word: 'new', worse: true }
  if (now > before) return { word: 'up from', worse: true }
  return { word: now < before ? 'down from' : 'same as', worse: false }
}

/** The preceding period as the range of a page. */
export function precedingRange(from: string, to: string): string {
  const start = Date.parse(from)
  return `${new Date(2 * start - Date.parse(to)).toISOString()}..${new Date(start).toISOString()}`
}

/** The heights of the bars from 0 to 1, one for each step of the range. */
export function barHeights(d: ErrorsData, c: Cause): number[] {
  const step = d.step_seconds * 1000
  const first = Math.floor(Date.parse(d.from) / step)
  const bars = Array<number>(Math.floor((Date.parse(d.to) - 1) / step) - first + 1).fill(0)
  for (const s of c.steps) bars[Math.round(Date.parse(s.time) / step) - first] = s.requests
  const most = Math.max(1, ...bars)
  return bars.map((n) => n / most)
}
