import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { pickChangedFields } from '../src/changedfields'
import { groupBy } from '../src/groupby'
import { findLimitError, noLimits, parseLimits, toLimitDraft } from '../src/limits'
import { findNearLimits } from '../src/pages/overview/nearlimits'

const none = { requests_per_minute: 0, tokens_per_minute: 0, concurrent_requests: 0, nano_usd_per_day: 0, nano_usd_per_month: 0 }

test('limits survive the form unchanged', () => {
  for (const nano of [0, 1, 500_000_000, 1_000_000_000, 1_234_567_891, 1_234_000_000_000, 9_000_000_000_000_000]) {
    const limits = { ...none, requests_per_minute: 1200, nano_usd_per_day: nano }
    assert.deepEqual(parseLimits(toLimitDraft(limits)), limits)
  }
  assert.deepEqual(toLimitDraft(none), noLimits, 'no limit is an empty field')
})

test('dollars become nano-USD without rounding', () => {
  const parse = (perDay) => parseLimits({ ...noLimits, perDay }).nano_usd_per_day
  assert.equal(parse('0.1'), 100_000_000)
  assert.equal(parse('$1,234.50'), 1_234_500_000_000)
  assert.equal(parse('0.000000001'), 1)
  assert.equal(parse('8.29'), 8_290_000_000)
  assert.equal(parse(''), 0)
})

test('the first invalid limit is reported with its field', () => {
  const param = (draft) => findLimitError({ ...noLimits, ...draft })?.param ?? null
  assert.equal(param({}), null)
  assert.equal(param({ requests: ' 600 ', perDay: '9000000' }), null)
  assert.equal(param({ perDay: '9000001' }), 'nano_usd_per_day')
  assert.equal(param({ perMonth: '0.0000000001' }), 'nano_usd_per_month')
  for (const text of ['-1', '1.5', 'ten', '1e3']) assert.equal(param({ requests: text, perDay: 'x' }), 'requests_per_minute', text)
})

test('budgets are listed from 80 % on, also at exactly 100 %', () => {
  const used = (spent, limit) => findNearLimits({ limits: { ...none, nano_usd_per_day: limit }, spent: { day: { nano_usd: spent }, month: { nano_usd: spent } }, refusals: [] }, 'k', 'first').map((n) => [n.period, n.used])
  assert.deepEqual(used(799_999_999, 1_000_000_000), [])
  assert.deepEqual(used(800_000_000, 1_000_000_000), [['today', 80]])
  assert.deepEqual(used(999_999_999, 1_000_000_000), [['today', 99.9999]])
  assert.deepEqual(used(1_000_000_000, 1_000_000_000), [['today', 100]])
  assert.deepEqual(used(1_500_000_000, 1_000_000_000), [['today', 150]])
  assert.deepEqual(used(5, 0), [], 'zero means no limit')
})

test('only changed fields are sent', () => {
  const before = { name: 'a', tags: ['x'], limits: { rpm: 1, tpm: 2 }, capture: null }
  assert.deepEqual(pickChangedFields(before, structuredClone(before)), {})
  assert.deepEqual(pickChangedFields(before, { ...before, name: 'b', limits: { rpm: 1, tpm: 0 } }), { name: 'b', limits: { tpm: 0 } })
  assert.deepEqual(pickChangedFields(before, { ...before, tags: [], capture: 'none' }), { tags: [], capture: 'none' })
  assert.deepEqual(pickChangedFields({ ...before, capture: 'none' }, before), { capture: null })
})

test('groups keep the order of their first items, and items keep theirs', () => {
  assert.deepEqual(groupBy(['b1', 'a1', 'b2', 'a0'], (x) => x[0]), [['b', ['b1', 'b2']], ['a', ['a1', 'a0']]])
  assert.deepEqual(groupBy(['1', '0'], (x) => x), [['1', ['1']], ['0', ['0']]], 'also for keys that are numbers')
  assert.deepEqual(groupBy([], String), [])
})
