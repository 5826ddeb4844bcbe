// Drained providers and models, and the state of credentials.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCredential, drainsOf, findDrain, targetName } from '../src/pages/providers/drain'

const drain = (provider, model) => ({ provider, model, reason: 'r', author: null, since: null })
const all = [drain('openai', null), drain(null, 'small'), drain('local', 'large')]

test('a drain concerns a provider, a model, or both', () => {
  assert.deepEqual(drainsOf(all, 'openai', 'small'), all.slice(0, 2))
  assert.deepEqual(drainsOf(all, 'local', 'small'), [all[1]])
  assert.deepEqual(drainsOf(all, 'local', 'large'), [all[2]])
  assert.deepEqual(drainsOf(all, 'other', 'large'), [])
})

test('a button finds exactly its own drain', () => {
  assert.equal(findDrain(all, { provider: 'openai' }), all[0])
  assert.equal(findDrain(all, { provider: 'openai', model: 'small' }), undefined)
  assert.equal(findDrain(all, { provider: null, model: 'small' }), all[1])
  assert.equal(targetName({ provider: 'local', model: 'large' }), 'large at local')
  assert.equal(targetName({ provider: null, model: 'small' }), 'small at every provider')
  assert.equal(targetName({ provider: 'openai' }), 'openai')
})

test('a credential says at how many proxies it is missing', () => {
  const say = (present, missing, rejected) => describeCredential({ provider: 'p', name: 'env:X', present, missing, rejected })
  assert.deepEqual(say(1, 0, 0), { ok: true, text: 'found' })
  assert.deepEqual(say(2, 0, 0), { ok: true, text: 'found at all 2 proxies' })
  assert.deepEqual(say(0, 1, 0), { ok: false, text: 'missing' })
  assert.deepEqual(say(2, 1, 0), { ok: false, text: 'missing at 1 of 3 proxies' })
  assert.deepEqual(say(1, 0, 1), { ok: false, text: 'rejected by the provider at 1 of 2 proxies' })
})
