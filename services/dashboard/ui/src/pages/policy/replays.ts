// Replays recorded requests with a text, and with the active version for comparison.
import { callApi } from '../../api'
import type { ReplayResult, ReplaySums } from './types'

export interface Replays {
  /** The decisions of the text. */
  text: ReplayResult
  /** The decisions of the active version; null if the text is the active document. */
  active: ReplayResult | null
}

const minute = 60_000
const week = 7 * 86_400_000

/** Replays the last seven days. A draft is also compared with the active version, because the recorded requests were routed by the policies of their time. */
export async function replayRequests(document: string, isDraft: boolean, signal?: AbortSignal): Promise<Replays> {
  const now = Date.now()
  // Requests of the last minute may be recorded between the two calls. Only one call would then
  // count them.
  const settled = await replayUntil(now - minute, document, isDraft, signal)
  return settled.text.requests + settled.text.skipped > 0 ? settled : replayUntil(now, document, isDraft, signal)
}

/** Replays the seven days before a time. Both calls have the same range. Otherwise, each would end when it arrives. */
async function replayUntil(end: number, document: string, isDraft: boolean, signal?: AbortSignal): Promise<Replays> {
  const range = { from: new Date(end - week).toISOString(), to: new Date(end).toISOString() }
  const replay = (body: object) => callApi<ReplayResult>('POST', '/policy/replay', { ...body, ...range }, signal)
  const [text, active] = await Promise.all([replay({ document }), isDraft ? replay({}) : null])
  return { text, active }
}

/** How much more a draft costs than the active version; null if the two costs do not cover the same requests. */
export function extraCost(draft: ReplaySums, active: ReplaySums | undefined): bigint | null {
  const counts = ['requests', 'refused', 'served', 'unpriced'] as const
  const isSame = active && counts.every((c) => active[c] === draft[c]) && BigInt(active.before_nano_usd) === BigInt(draft.before_nano_usd)
  return isSame ? BigInt(draft.after_nano_usd) - BigInt(active.after_nano_usd) : null
}

/** How many more requests a draft serves than the active version; null if they did not replay the same number. */
export function extraServed(draft: ReplaySums, active: ReplaySums): number | null {
  return draft.requests === active.requests ? draft.served - draft.refused - (active.served - active.refused) : null
}
