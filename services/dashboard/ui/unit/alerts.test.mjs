import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { describeNow, describeQuiet, describeRule, formatMinutes, formatThreshold, newRule, parseMinutes, parseThreshold, toRuleDraft, toTypedThreshold } from '../src/pages/alerts/alert'
import { toBody } from '../src/pages/alerts/channelform'
import { RuleDialogs } from '../src/pages/alerts/ruledialogs'
import { setParams } from '../src/router'

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

test('the current value of a kind in words', () => {
  const one = (value, detail, subject = null) => ({ subject, value, detail })
  assert.equal(describeNow([one(0, '0 of 350 requests')], rate), 'Now 0\u00a0% (0 of 350 requests). Rejected requests do not count.')
  assert.equal(describeNow([one(0, null)], rate), 'Now: no requests in this time.')
  assert.equal(describeNow([one(1250.4, 'the 95th percentile of 9 requests')], { kind: 'latency', unit: 'ms' }), 'Now 1.25 s (the 95th percentile of 9 requests).')
  assert.equal(describeNow([one(0, null)], { kind: 'spend', unit: 'nano_usd' }), 'Now $0.00.')
  assert.equal(describeNow([one(10, null, 'ci'), one(90, null, 'web')], { kind: 'budget', unit: 'percent' }), 'Now 90\u00a0% for web.')
  assert.equal(describeNow([one(90, null, 'a'), one(10, null, 'b')], { kind: 'certificate_ending', unit: 'days' }), 'Now 10 days for b.')
  assert.equal(describeNow([], { kind: 'budget', unit: 'percent' }), 'There is nothing to measure now.')
  assert.equal(describeNow([one(0, null, 'a'), one(1, null, 'b')], { kind: 'provider_down', unit: 'none' }), 'The alert would fire now for b.')
  assert.equal(describeNow([], { kind: 'provider_down', unit: 'none' }), 'The alert would not fire now.')
})

test('the draft of an alert is kept while a channel is created, and gets the channel', async () => {
  const data = { kinds: [rate], rules: [], channels: [], firing: [], events: [], email: false }
  let shown
  const page = mount(() => (shown = RuleDialogs({ data, rule: undefined, onClose() {} })))
  shown.props.onDraft({ ...shown.props.draft, threshold: '7.5' })
  await settle()
  shown.props.onDraft({ ...shown.props.draft, body: { ...shown.props.draft.body, name: 'typed' } })
  setParams({ rule: 'new', channel: 'new' })
  await settle()
  assert.equal(shown.props.draft, undefined, 'the dialog of the channel is open')
  shown.props.onCreated('channel_1')
  shown.props.onClose()
  await settle()
  assert.equal(shown.props.draft.threshold, '7.5')
  assert.equal(shown.props.draft.body.name, 'typed')
  assert.deepEqual(shown.props.draft.body.channels, ['channel_1'])
  page.unmount()
})

test('the draft of a rule has its values, without deleted channels', () => {
  const rule = { ...newRule(rate), id: 'r', author: 'a', name: 'mine', threshold: 9, channels: ['gone', 'c'] }
  const draft = toRuleDraft(rule, { kinds: [rate], channels: [{ id: 'c' }] })
  assert.deepEqual(draft, { body: { ...newRule(rate), name: 'mine', threshold: 9, channels: ['c'] }, threshold: '9' })
})

test('the next step without alerts depends on the channels, and a new alert goes to the only one', () => {
  assert.equal(describeQuiet({ rules: [], channels: [] }), 'There are no alerts yet. Create a channel, then an alert.')
  assert.equal(describeQuiet({ rules: [], channels: [{ id: 'c' }] }), 'There are no alerts yet. Create an alert.')
  assert.equal(describeQuiet({ rules: [{}], channels: [] }), 'Nothing is firing.')
  const selected = (...ids) => toRuleDraft(undefined, { kinds: [rate], channels: ids.map((id) => ({ id })) }).body.channels
  assert.deepEqual([selected(), selected('a'), selected('a', 'b')], [[], ['a'], []])
})
