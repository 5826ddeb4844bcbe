// The page Quality: how the results of experiments are written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { formatAgreement, formatDifference, verdictText, withoutVerdict } from '../src/pages/quality/compared'

const agreement = { count: 0, mean: null, low: 0, high: 1, more: 210 }

test('an experiment says what it proves, or how much data is missing', () => {
  assert.equal(verdictText({ verdict: 'not_enough_data', more: 140 }), 'Not enough data yet: about 140 more')
  assert.equal(verdictText({ verdict: 'not_worse', more: 0 }), 'Not worse')
  assert.deepEqual([[0, 0], [2, 0], [0, 1], [2, 1]].map(([failed, stopped]) => withoutVerdict({ failed, stopped })), ['', '2 failed', '1 stopped', '2 failed, 1 stopped'])
  assert.equal(formatDifference({ difference: 0.121, low: -0.04, high: 0.2 }), '+12 (−4 to +20)')
  assert.equal(formatDifference({ difference: null, low: -1, high: 1 }), 'No data')
  assert.equal(formatAgreement({ consistent: 0.9, agreement }), '90 % consistent')
  assert.equal(formatAgreement({ consistent: null, agreement: { ...agreement, count: 20, mean: 0.8 } }), 'agrees with 80 % of 20 ratings')
})
