// The page Quality: how the results of experiments are written.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { formatAgreement, formatDifference, verdictText, withoutVerdict } from '../src/pages/quality/compared'
import { ExperimentResults } from '../src/pages/quality/experiments'
import { Quality } from '../src/pages/quality/quality'

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

test('the page keeps its data, and so its open dialog, when a minute ends', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-14T03:30:59Z') })
  const calls = []
  mock.method(globalThis, 'fetch', (url) => { calls.push(url); return new Promise(() => {}) })
  const page = mount(() => { Quality(); ExperimentResults({ defaultRange: '30d' }) })
  await settle()
  const before = [...calls]
  assert.deepEqual(before.filter((c) => c.includes('from=')).map((c) => c.split('?')[0]), ['/api/v1/quality', '/api/v1/experiments'])
  mock.timers.tick(2000)
  page.update()
  await settle()
  assert.deepEqual(calls, before)
  page.unmount()
  mock.timers.reset()
  mock.restoreAll()
})
