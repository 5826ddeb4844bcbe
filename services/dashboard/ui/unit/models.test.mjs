// The catalog of models: joining, searching, sorting, comparing, prices and retirement.
import { textOf } from './render.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparedIds, formatPrice, joinModels, lifecycleNote, selectModels, sortModels, toggleCompared, unpricedGroups } from '../src/pages/models/model'
import { ModelTable } from '../src/pages/models/modeltable'
import { Prices } from '../src/pages/models/prices'

const price = (input, more) => ({ input, output: 2 * input, cache_read: 1, cache_write: 2, cache_write_1h: null, effective: '2026-01-01', in_force: true, tiers: [], source: null, ...more })
const model = (id, more) => ({ id, name: null, kind: 'chat', served: true, listed: true, aliases: [], context: null, capabilities: [], unknown: [], efforts: [], quality: {}, retires: null, status: null, endpoints: [], ...more })
const endpoint = (provider, prices) => ({ provider, model: 'x', prices, lacks: [], confidence: null, note: null })
const used = (group, requests, unpriced = 0) => ({ group, requests, unpriced, routed_nano_usd: 1, baseline_nano_usd: 1, saved_nano_usd: 0 })
const attempts = (model, provider, n, p50_us) => ({ model, provider, attempts: n, failed: 0, p50_us, p95_us: p50_us, failures: [] })

const rows = joinModels([
  model('b', { context: 1000, quality: { general: 700 }, capabilities: ['vision'], endpoints: [endpoint('one', [price(9)]), endpoint('two', [price(1, { in_force: false }), price(5)])] }),
  model('a', { context: 9000, aliases: ['first'], quality: { general: 900 }, endpoints: [endpoint('one', [])] }),
  model('c', { served: false, endpoints: [endpoint('three', [price(3)])] }),
], [used('b', 7), used('gone', 2, 2)], [attempts('b', 'one', 1, 10), attempts('b', 'two', 5, 90)], [{ group: 'c', requests: 1, input_tokens: 5, output_tokens: 1, values: null }, { group: 'b', requests: 7, input_tokens: 12_400, output_tokens: 300, values: null }])
const ids = (list) => list.map((m) => m.id).join('')

test('a model has its cheapest price in force, its use and its most used endpoint', () => {
  assert.equal(rows[0].price.input, 5)
  assert.equal(rows[1].price, null)
  assert.equal(rows[0].used.requests, 7)
  assert.equal(rows[0].measured.provider, 'two')
  assert.equal(rows[0].tokens.input_tokens, 12_400)
  assert.match(textOf(ModelTable({ rows: rows.slice(0, 2), sort: 'name', ids: [], range: '30d' })), /Tokens in \/ out.*12\.4k \/ 300/s)
  assert.equal(ids(sortModels(rows, 'tokens')), 'bca')
})

test('models are selected by use and by words', () => {
  assert.equal(ids(selectModels(rows, 'served', '')), 'ba')
  assert.equal(ids(selectModels(rows, 'used', '')), 'b')
  assert.equal(ids(selectModels(rows, 'all', '')), 'bac')
  assert.equal(ids(selectModels(rows, 'all', 'FIRST')), 'a', 'by alias')
  assert.equal(ids(selectModels(rows, 'all', 'one images')), 'b', 'by provider and capability')
  assert.equal(ids(selectModels(rows, 'all', 'one nothing')), '')
})

test('models without a value come last in every order', () => {
  assert.equal(ids(sortModels(rows, 'name')), 'abc')
  assert.equal(ids(sortModels(rows, 'input')), 'cba')
  assert.equal(ids(sortModels(rows, 'context')), 'abc', 'the largest first')
  assert.equal(ids(sortModels(rows, 'quality')), 'abc')
  assert.equal(ids(sortModels(rows, 'requests')), 'bac')
  assert.equal(ids(sortModels(rows, 'latency')), 'bac')
  assert.equal(ids(sortModels(rows, 'nonsense')), 'abc')
})

test('at most four models are compared', () => {
  assert.deepEqual(comparedIds('a,b,,b,c,d,e'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(comparedIds(null), [])
  assert.deepEqual(toggleCompared(['a', 'b'], 'a'), ['b'])
  assert.deepEqual(toggleCompared(['a', 'b', 'c', 'd'], 'e'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(toggleCompared([], 'a'), ['a'])
})

test('prices are dollars per million tokens', () => {
  assert.deepEqual([3_000_000, 75_000, 100_000, 2_500, 0].map(formatPrice), ['$3.00', '$0.075', '$0.10', '$0.0025', '$0.00'])
  const text = textOf(Prices({ of: model('m', { endpoints: [endpoint('one', [price(2_000_000, { tiers: [{ ...price(4_000_000), above: 200_000 }] }), price(1_000_000, { effective: '2027-01-01', in_force: false })]), endpoint('two', [])] }) }))
  assert.match(text, /one x\$2\.00 in, \$4\.00 out, .*; since 2026-01-01Above 200\.0k input tokens: \$4\.00 in/)
  assert.match(text, /\$1\.00 in, .*; from 2027-01-01, not in force/)
  assert.match(text, /two xNo known price/)
})

test('a model that retires or has no price says so', () => {
  assert.equal(lifecycleNote(model('m', { retires: '2026-11-30' }), '2026-11-16'), 'Retires 2026-11-30')
  assert.equal(lifecycleNote(model('m', { retires: '2026-11-16', status: 'deprecated' }), '2026-11-16'), 'Retired 2026-11-16')
  assert.equal(lifecycleNote(model('m', { status: 'deprecated' }), '2026-11-16'), 'Deprecated')
  assert.equal(lifecycleNote(model('m', { status: 'active' }), '2026-11-16'), null)
  assert.deepEqual(unpricedGroups([used('a', 3), used('b', 2, 1), used(null, 1, 1)]).map((g) => g.group), ['b'])
})
