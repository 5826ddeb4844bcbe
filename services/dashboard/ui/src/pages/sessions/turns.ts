// Computes what the timeline of a session shows for each request.
import type { Nano } from '../../api'
import { pluralize } from '../../format'
import type { Request } from '../../types'

export interface Turn {
  request: Request
  /** The number of the turn; null for a side call. */
  number: number | null
  /** The model and provider of the turn before, if this turn has others. Side calls change nothing. */
  changedFrom: { model: string; provider: string | null } | null
  /** The cost of the session up to the end of this request. */
  total: bigint
  /** The cost of the request as a part of the highest cost, from 0 to 1. */
  share: number
  /** The part of the input that was read from a cache, in percent; null without input. */
  cached: number | null
}

const cost = (r: Request): bigint => BigInt(r.cost_nano_usd ?? 0)

/** Returns the requests of a session, oldest first, as the timeline shows them. */
export function buildTurns(all: Request[]): Turn[] {
  const most = all.reduce((n, r) => (cost(r) > n ? cost(r) : n), 0n)
  let total = 0n, number = 0
  let last: Request | null = null
  return all.map((r) => {
    total += cost(r)
    const turn: Turn = {
      request: r, number: r.side_call ? null : ++number, changedFrom: r.side_call ? null : changedFrom(last, r),
      total, share: most === 0n ? 0 : Number(cost(r)) / Number(most), cached: cachedPercent(r),
    }
    if (!r.side_call && r.model) last = r
    return turn
  })
}

function changedFrom(last: Request | null, r: Request): Turn['changedFrom'] {
  if (!last || !r.model || (last.model === r.model && last.provider === r.provider)) return null
  return { model: last.model!, provider: last.provider }
}

function cachedPercent(r: Request): number | null {
  const all = r.tokens.input + r.tokens.cache_read + r.tokens.cache_write
  return all === 0 ? null : (r.tokens.cache_read / all) * 100
}

/** Describes the costs and the changes of the model in a sentence. */
export function summarizeTurns(turns: Turn[], write: (n: Nano) => string): string {
  const priced = turns.filter((t) => t.share > 0)
  if (priced.length === 0) return 'No request has a known cost.'
  const top = priced.reduce((a, b) => (b.share > a.share ? b : a))
  const changes = turns.filter((t) => t.changedFrom).map((t) => t.number)
  const where = top.number === null ? 'a side call' : `turn ${top.number}`
  const changed = changes.length === 0 ? 'The model never changed.' : `The model changed ${pluralize(changes.length, 'time')}, at turn ${changes.join(', ')}.`
  return `The most expensive request was ${where} with ${write(top.request.cost_nano_usd ?? 0)}. ${changed}`
}
