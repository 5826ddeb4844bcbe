import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { describeRule, formatMinutes, formatThreshold, newRule, parseMinutes, parseThreshold, toTypedThreshold } from '../src/pages/alerts/alert'
import { toBody } from '../src/pages/alerts/channelform'

const rate = { kind: 'error_rate', name: 'Error rate', about: 'Too many fail.', unit: 'percent', default: 5, windows: [900, 300], requests: true }

test('a rule in words', () => {
  assert.equal(describeRule({ ...newRule(rate), min_requests: 1200 }, rate), 'Error rate of at least 5 % over 15 minutes with at least 1,200 requests')
  const down = { ...rate, about: 'All models of a provider are unavailable.', unit: 'none', windows: [], requests: false }
  assert.equal(describeRule(newRule(down), down), 'All models of a provider are unavailable')
  const ending = { ...rate, name: 'Certificate ending', unit: 'days', default: 14, windows: [3600], requests: false }
  assert.equal(describeRule(newRule(ending), ending), 'Certificate ending of at most 14 days over 1 hour')
})

test('thresholds are typed in dollars and stored in nano-USD', () => {
  assert.equal(parseThreshold('$1,000.50', 'nano_usd'), 1_000_500_000_000)
  assert.equal(toTypedThreshold(1_500_000_000, 'nano_usd'), '1.5')
  assert.equal(formatThreshold(1_500_000_000, 'nano_usd'), '$1.50')
  assert.equal(formatThreshold(10_000, 'ms'), '10 s')
  for (const bad of ['', 'x', '-1', '1e3']) assert.equal(parseThreshold(bad, 'percent'), null, bad)
})

test('quiet hours are times of day', () => {
  assert.equal(formatMinutes(6 * 60 + 5), '06:05')
  assert.equal(parseMinutes('22:00'), 1320)
  for (const bad of ['24:00', '9', '9:60', '']) assert.equal(parseMinutes(bad), null, bad)
  const draft = { name: 'n', kind: 'slack', address: 'a', from: '22:00', to: '6:30', zone: 'Asia/Tokyo' }
  assert.deepEqual(toBody(draft).quiet_hours, { from: 1320, to: 390, zone: 'Asia/Tokyo' })
  assert.equal(toBody({ ...draft, from: ' ', to: '' }).quiet_hours, null)
  assert.equal(toBody({ ...draft, to: '' }), null)
})
