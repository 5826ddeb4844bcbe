// The responses of the sessions API.
import type { Nano } from '../../api'
import type { Request } from '../../types'

/** The sums of one session of an agent. */
export interface Session {
  id: string
  agent: string | null
  user: string | null
  started: string
  ended: string
  /** Every request: turns and side calls. */
  requests: number
  turns: number
  side_calls: number
  errors: number
  unpriced: number
  cost_nano_usd: Nano
  saved_nano_usd: Nano
  /** null if no request used input tokens. */
  cache_hit_percent: number | null
}

export interface SessionPage {
  items: Session[]
  next_cursor: string | null
}

export interface SessionDetail extends Session {
  timeline: { items: Request[]; next_cursor: string | null }
}
