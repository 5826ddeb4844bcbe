// Types of the API's responses about the installation.

export interface RecordCounts {
  sent: number
  stored: number
  in_flight: number
  missing: number
  lost: number
  dead_letters: number
}

export interface Producer extends RecordCounts {
  producer: string
  host: string | null
  first_seen: string | null
  last_seen: string | null
  refused: number
  gaps: { first: number; last: number }[]
}

export interface Completeness extends RecordCounts {
  producers: Producer[]
}

export interface ComponentHealth {
  name: string
  ok: boolean
  duration_us: number
  code: string | null
  error: string | null
}

export interface SystemState {
  version: string
  started_at: string
  policy_version: string | null
  parts: ComponentHealth[]
  ledger: { kind: string; bytes: number; last_stored_at: string | null; waiting: number } | null
  retention: { record_days: number | null; content_days: number | null }
  warnings: string[]
}

export interface DeadLetter {
  producer: string
  seq: number
  received_at: string
  reason: string
  parked: boolean
  schema: number | null
  bytes: number
}
