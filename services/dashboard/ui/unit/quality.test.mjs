// The page Quality: how estimates are written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { formatEstimate, missingData, topKinds } from '../src/pages/quality/report'

test('an estimate has its interval, and says when data is missing', () => {
  assert.equal(formatEstimate({ count: 100, mean: 0.917, low: 0.82, high: 0.97, more: 140 }), '92 % (82–97)')
  assert.equal(formatEstimate({ count: 0, mean: null, low: 0, high: 1, more: 210 }), 'No data')
  assert.equal(missingData({ count: 1, mean: 1, low: 0, high: 1, more: 140 }, 'ratings'), 'Not enough data yet: about 140 more ratings')
  assert.equal(missingData({ count: 1, mean: 1, low: 0, high: 1, more: 0 }, 'ratings'), '')
  assert.deepEqual(topKinds({ empty: 1, loop: 3 }), [['loop', 3], ['empty', 1]])
})
