// What is known about how good the response to a request was, in words.
import type { Evidence } from '../../types'

const signals: Record<string, string> = {
  invalid_json: 'Not the requested JSON',
  empty: 'Empty response',
  truncated: 'Cut off at the token limit',
  refusal: 'The model refused',
  invalid_tool_arguments: 'Invalid tool call',
  loop: 'Repeats itself',
  asked_again: 'Asked again soon after',
  stopped: 'The client stopped the stream',
  switched_model: 'The client then named a model itself',
}

/** The name of a kind of signal. */
export const signalName = (kind: string): string => signals[kind] ?? kind

const dashboardPrefix = 'dashboard:'

/** The name of a source: the person, or the program that sent the feedback. */
export const sourceName = (e: Evidence): string =>
  e.kind !== 'feedback' ? 'Signal' : e.source.startsWith(dashboardPrefix) ? e.source.slice(dashboardPrefix.length) : e.source

/** What was observed. A score that is neither good nor bad is shown as a number. */
export function describeEvidence(e: Evidence): string {
  if (e.kind !== 'feedback') return signalName(e.kind)
  return e.score === 1 ? 'Good' : e.score === 0 ? 'Bad' : `Score ${e.score.toFixed(2)}`
}

/** The rating that the signed-in user gave, if any. */
export const ownRating = (all: Evidence[], email: string): Evidence | undefined =>
  all.find((e) => e.kind === 'feedback' && e.source === dashboardPrefix + email)
