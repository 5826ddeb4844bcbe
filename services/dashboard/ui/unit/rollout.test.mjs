// The figures of a rollout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render, textOf } from './render.mjs'
import { formatFigure, formatLimit, formatShare, formatWorse, isOpen } from '../src/pages/policy/rollout'
import { RolloutView } from '../src/pages/policy/rollouts'

const check = (more) => ({ name: 'errors', verdict: 'open', stable: 0.01, candidate: 0.05, stable_samples: 900, candidate_samples: 100, worse: 0.04, low: -0.01, high: 0.15, limit: 0.02, ...more })

test('figures have the unit of their guardrail', () => {
  assert.equal(formatFigure('errors', 0.05), '5.0\u00a0%')
  assert.equal(formatFigure('latency', 1_500_000), '1.50 s')
  assert.match(formatFigure('cost', 5), /^\$0\.000005/)
  assert.equal(formatFigure('feedback', null), '—')
  assert.equal(formatShare(100), '1\u00a0%')
})

test('an interval that excludes nothing is left out', () => {
  assert.equal(formatWorse(check({})), '+4.0 points (−1.0 to +15)')
  assert.equal(formatWorse(check({ low: -0.9, high: 0.9 })), '+4.0 points')
  assert.equal(formatWorse(check({ low: null, high: null })), '+4.0 points')
  assert.equal(formatWorse(check({ worse: null })), '—')
  assert.equal(formatWorse(check({ name: 'cost', worse: -0.5, low: -0.6, high: 0 })), '−50 % (−60 to 0.0)')
  assert.equal(formatLimit(check({ name: 'cost', limit: 0.5 })), '+50 %')
  assert.equal(formatLimit(check({})), '+2 points')
})

test('a rollout is open until it ends', () => {
  assert.ok(isOpen({ ended_at: null }))
  assert.ok(!isOpen({ ended_at: '2026-11-16T12:00:00Z' }))
})

const rollout = {
  id: 'r', revision: 3, state: 'rolled_back', stable_version: 'a'.repeat(64), candidate_version: 'b'.repeat(64), share: 0, started_at: '2026-11-16T12:00:00Z', step_started_at: '2026-11-16T12:00:00Z', ended_at: '2026-11-16T12:01:00Z',
  author: 'op@example.com', note: '', reason: 'Error rate 100 % with the new version', guardrails: { step_seconds: 600, min_requests: 100, manual: false }, step: 1000, stable_requests: 900, candidate_requests: 100,
  events: [{ id: 2, time: '2026-11-16T12:01:00Z', action: 'roll_back', share: 0, author: '', reason: 'Error rate 100 %' }, { id: 1, time: '2026-11-16T12:00:00Z', action: 'start', share: 100, author: 'op@example.com', reason: '' }],
  checks: [check({ verdict: 'breached', candidate: 1, worse: 0.99, low: 0.8, high: 1 })],
}

test('a rolled back rollout says why, and has no buttons', () => {
  const text = textOf(RolloutView({ of: rollout }))
  assert.match(text, /Rolled back\. Error rate 100 % with the new version/)
  assert.match(text, /Error rate100\u00a0%1\.0\u00a0%\+99 points \(\+80 to \+100\)\+2 pointsOver the limit/)
  assert.match(text, /Rolled back at 0\u00a0% by the guardrails: Error rate 100 %/)
  assert.doesNotMatch(text, /Advance|Confirm/)
})
