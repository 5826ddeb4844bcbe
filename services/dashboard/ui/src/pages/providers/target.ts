// A target: what the router saw of it in the last minutes, beside what the
// ledger has of its attempts.
import { percent } from '../../money'

/** As the router tells it. */
export interface Health {
  provider: string
  model: string
  succeeded: number
  failed: number
  last_code: string | null
  last_failure: string | null
  /** Why decisions leave it out: its breaker is open. */
  down: string | null
  first_token_us: number | null
}

/** As the ledger has it. */
export interface Tally {
  provider: string
  model: string
  attempts: number
  failed: number
  p50_us: number | null
  p95_us: number | null
  failures: { code: string; attempts: number; request_id: string }[]
}

export interface Target {
  health: Health
  tally: Tally | undefined
}

export type State = 'good' | 'half' | 'bad' | 'out' | 'idle'

/** Half of the attempts is where a breaker opens unless the policy says otherwise. */
export function stateOf(h: Health): State {
  if (h.down) return 'out'
  const all = h.succeeded + h.failed
  if (all === 0) return 'idle'
  if (h.failed === 0) return 'good'
  return h.failed * 2 >= all ? 'bad' : 'half'
}

export const words: Record<State, string> = { good: 'Answers', half: 'Some fail', bad: 'Fails', out: 'Breaker open', idle: 'Not asked lately' }

/** Targets by provider, in the order of their names. */
export function byProvider(health: Health[], tallies: Tally[]): Map<string, Target[]> {
  const found = new Map(tallies.map((t) => [`${t.provider} ${t.model}`, t]))
  const out = new Map<string, Target[]>()
  for (const h of [...health].sort((a, b) => a.provider.localeCompare(b.provider) || a.model.localeCompare(b.model))) {
    const list = out.get(h.provider) ?? []
    list.push({ health: h, tally: found.get(`${h.provider} ${h.model}`) })
    out.set(h.provider, list)
  }
  return out
}

const name = (h: Health): string => `${h.model} at ${h.provider}`

const share = (h: Health): string => percent((h.failed / (h.succeeded + h.failed)) * 100)

/** How they are, in a sentence. */
export function sentence(all: Health[]): string {
  const out = all.filter((h) => stateOf(h) === 'out')
  const bad = all.filter((h) => stateOf(h) === 'bad')
  const half = all.filter((h) => stateOf(h) === 'half')
  const asked = all.filter((h) => stateOf(h) !== 'idle').length
  if (asked === 0) return 'Nothing was asked of any provider in the last five minutes.'
  if (out.length > 0) return `${out.map(name).join(', ')} ${out.length === 1 ? 'is' : 'are'} left out of decisions: ${out[0]!.down}.`
  if (bad.length === 1) return `${name(bad[0]!)} fails ${share(bad[0]!)} of its attempts.`
  if (bad.length > 1) return `${bad.length} targets fail: ${bad.map(name).join(', ')}.`
  if (half.length === 1) return `${name(half[0]!)} fails ${share(half[0]!)} of its attempts; every other target that was asked answers.`
  if (half.length > 1) return `${half.length} targets fail now and then; every other one that was asked answers.`
  return asked === 1 ? 'The one target that was asked answers.' : `All ${asked} targets that were asked answer.`
}
