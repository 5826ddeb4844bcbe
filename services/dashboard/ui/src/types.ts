// Types of the API's responses, as openapi.json describes them.
import type { Nano } from './api'

export type Route = 'expected' | 'fallback' | 'policy'
/** running is a request in progress. Only the live list has it. */
export type Outcome = 'ok' | 'error' | 'rejected' | 'interrupted' | 'client_closed' | 'aborted' | 'running'

export interface Tokens {
  input: number
  cache_read: number
  cache_write: number
  cache_write_1h: number
  output: number
  reasoning: number
}

/** Nano-USD by token kind. */
export interface Costs {
  input: Nano
  cache_read: Nano
  cache_write: Nano
  output: Nano
}

export interface Attempt {
  provider: string
  model: string
  /** The reasoning effort of the candidate; null if it has none. */
  effort: string | null
  status: number | null
  code: string | null
  started_us: number
  first_token_us: number | null
  ended_us: number
  cost_nano_usd: Nano | null
}

export interface Request {
  id: string
  time: string
  account_id: string
  key_id: string
  key_name: string
  requested_model: string
  model: string | null
  provider: string | null
  /** The reasoning effort of the candidate that served the request; null if it has none. */
  effort: string | null
  route: Route | null
  outcome: Outcome
  reason: { code: string; text: string; rule?: string }
  status: number | null
  code: string | null
  /** The wire format in which the client sent the request: chat, messages, responses or gemini. */
  protocol: string
  /** The client program; null if it is unknown. */
  agent: string | null
  /** Identifies the session within the account; null if there is none. */
  session: string | null
  /** The end user that the client named; null if it named none. */
  user: string | null
  /** Whether the request is no turn of its session. */
  side_call: boolean
  stream: boolean
  tokens: Tokens
  cost_nano_usd: Nano | null
  cost_basis: 'final' | 'estimated' | null
  baseline: { model: string | null; cost_nano_usd: Nano | null }
  saved_nano_usd: Nano | null
  latency_us: number
  ttft_us: number | null
  gateway_us: number
  attempts: Attempt[]
}

/** A request in progress, as the stream reports it. model and provider are the candidate that is called first. */
export interface RunningRequest extends Pick<Request, 'id' | 'time' | 'key_id' | 'key_name' | 'requested_model' | 'model' | 'provider' | 'protocol' | 'agent' | 'session' | 'user' | 'stream'> {
  elapsed_us: number
}

/** Pico-USD per token. */
export interface Price {
  input: number
  cache_read: number
  cache_write: number
  cache_write_1h: number | null
  output: number
  effective: string | null
}

export interface AttemptDetail extends Attempt {
  tokens: Tokens | null
  costs: Costs | null
  price: Price | null
  cost_basis: 'final' | 'estimated' | null
  upstream_request_id: string | null
  dropped_params: string[]
  usage_difference: number
  reported_nano_usd: Nano | null
  /** What the upstream charges in addition to the tokens and the catalog has no price for. */
  unpriced: string[]
}

export interface Candidate {
  model: string
  provider: string
  /** The reasoning effort of the candidate; null if it has none. */
  effort: string | null
  verdict: string
  text: string
  predicted_nano_usd: Nano | null
  /** The expected cost of the request and of the rest of its session; null without a session. */
  session_nano_usd: Nano | null
  /** The expected time to the first token; null if unknown. */
  latency_us: number | null
  /** In thousandths: 1000 is the best. */
  quality: number
  /** The interval of the quality; null if it was not predicted for this request. */
  quality_low: number | null
  quality_high: number | null
  /** The expected length of the response in tokens; null for embeddings. */
  output_tokens: number | null
  /** Why the candidate was unavailable; null if it was available. */
  down: string | null
}

/** Why the qualities were predicted so, in words. */
export interface Explanation {
  /** The first reason is the kind of request. */
  reasons: { text: string; effect: 'harder' | 'easier' | 'neutral' }[]
  /** How much the request resembles what the predictor was trained on. */
  guard: { state: 'unused' | 'outside' | 'partly' | 'inside'; text: string }
  /** The features with names and values for a human reader. */
  signals: { name: string; text: string; features: string[] }[]
}

/** The inputs of a decision besides the features. */
export interface DecisionInputs {
  needs: string[]
  input_tokens: number
  max_output_tokens: number | null
  tags: string[]
  models: string[]
  may_swap_model: boolean
  baseline_model: string | null
  at: string | null
  budget_used: number | null
  metadata: Record<string, string>
  sticky: { model: string; provider: string } | null
  seed: string
  predictor: string | null
  qualities: Record<string, number>
  /** The protocol of the client; null for chat completions. */
  native_protocol: string | null
  /** The parts of the request that only a provider of native_protocol can serve. */
  native_only: string[]
  issuer: string | null
  /** The most that the request was allowed to cost; null without a limit. */
  max_cost_nano_usd: Nano | null
  /** Whether the request set its own reasoning effort. */
  own_effort: boolean
  session: SessionState | null
}

/** What was known of the session when the request arrived. */
export interface SessionState {
  last_model: string | null
  last_provider: string | null
  last_at: string | null
  turns: number
  tool_loop: boolean
  side_call: boolean
  marks_cache: boolean
  added_tokens: number
  output_tokens: number
  cached: { model: string; provider: string; tokens: number; expires_at: string }[]
}

/** One observation about how good a response was. */
export interface Evidence {
  kind: string
  source: string
  /** From 0 (bad) to 1 (good). */
  score: number
  weight: number
  reason: string | null
  created: string
}

/** How an experiment compared the response with that of another candidate. */
export interface RequestComparison {
  experiment: string
  model: string
  provider: string
  effort: string | null
  judge_model: string
  result: string
  /** From -1 (the served response is better) to 1; null if there is no verdict. */
  score: number | null
  consistent: boolean
  cost_nano_usd: Nano | null
  judge_cost_nano_usd: Nano | null
  created: string
}

export interface RequestDetail extends Request {
  evidence: Evidence[]
  comparisons: RequestComparison[]
  endpoint: string
  error: string | null
  capture: 'none' | 'full' | 'redacted' | 'dropped' | null
  costs: Costs | null
  baseline: { model: string | null; cost_nano_usd: Nano | null; costs: Costs | null; price: Price | null }
  attempts: AttemptDetail[]
  candidates: Candidate[]
  features: Record<string, number>
  /** Null if nothing is known of the request. */
  explanation: Explanation | null
  inputs: DecisionInputs | null
  policy_version: string | null
  catalog_version: string | null
  engine_version: string | null
  auth_us: number
  route_us: number
  trace_id: string | null
  client_request_id: string | null
  request: string | null
  request_bytes: number | null
  response: string | null
  response_bytes: number | null
}

export interface Items<T> {
  items: T[]
  next_cursor?: string | null
}

/** Sums over requests. Each sum covers only the requests for which the amount is known. */
export interface Sums {
  requests: number
  routed_nano_usd: Nano
  baseline_nano_usd: Nano
  saved_nano_usd: Nano
  /** The number of requests without a known price. Their savings are unknown. */
  unpriced: number
}
