import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { describeNow, describeQuiet, describeRule, formatMinutes, formatThreshold, newRule, parseMinutes, parseThreshold, toRuleDraft, toTypedThreshold } from '../src/pages/alerts/alert'
import { toBody } from '../src/pages/alerts/channelform'
import { changeChannel, newChannel } from '../src/pages/alerts/create'
import { NewChannel } from '../src/pages/alerts/newchannel'
import { RuleDialogs } from '../src/pages/alerts/ruledialogs'
import { useSaveRule } from '../src/pages/alerts/saverule'
import { setParams } from '../src/router'

const rate = { kind: 'error_rate', name: 'Error rate', about: 'Too many fail.', unit: 'percent', default: 5, windows: [900, 300], requests: true }

test('a rule in words', () => {
  assert.equal(describeRule({ ...newRule(rate), min_requests: 1200 }, rate), 'Error rate of at least 5\u00a0% over 15 minutes with at least 1,200 requests')
  const down = { ...rate, about: 'All models of a provider are unavailable.', unit: 'none', windows: [], requests: false }
  assert.equal(describeRule(newRule(down), down), 'All models of a provider are unavailable')
  const ending = { ...rate, name: 'Certificate ending', unit: 'days', default: 14, windows: [3600], requests: false }
  assert.equal(describeRule(newRule(ending), ending), 'Certificate ending of at most 14 days over 1 hour')
})

test('thresholds are typed in dollars and stored in nano-USD', () => {
  assert.equal(parseThreshold('$1,000.50', 'nano_usd'), 1_000_500_000_000)
  assert.equal(toTypedThreshold(1_500_000_000, 'nano_usd'), '1.5')
  assert.deepEqual([1_500_000_000, 1_234_000_000_000, 450_000].map((v) => formatThreshold(v, 'nano_usd')), ['$1.50', '$1,234.00', '$0.00045'])
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
  assert.equal(describeNow([one(0, '0 of 350 requests')], rate), 'Now 0\u00a0% (0 of 350 requests).')
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

test('without alerts the page names the next step, and a new alert goes to the only channel', () => {
  assert.match(describeQuiet({ rules: [] }), /^There are no alerts yet\. Create one/)
  assert.equal(describeQuiet({ rules: [{}] }), 'Nothing is firing.')
  const selected = (...ids) => toRuleDraft(undefined, { kinds: [rate], channels: ids.map((id) => ({ id })) }).body.channels
  assert.deepEqual([selected(), selected('a'), selected('a', 'b')], [[], ['a'], []])
})

test('the name of a channel follows its address until it is typed', () => {
  let d = changeChannel(newChannel, { address: 'https://hooks.example.com/T0/secret' })
  assert.equal(d.name, 'Webhook hooks.example.com')
  d = changeChannel(changeChannel(d, { kind: 'slack' }), { address: 'example.com' })
  assert.equal(d.name, 'Slack example.com')
  assert.equal(changeChannel(d, { kind: 'email', address: 'a@example.com' }).name, 'a@example.com')
  assert.equal(changeChannel(changeChannel(d, { name: 'Team' }), { address: 'https://other.example.com' }).name, 'Team')
  for (const address of ['', ' ', 'https://', 'https://user:password@example.com/x']) assert.equal(changeChannel(newChannel, { address }).name, '', address)
})

test('one form creates the channel and then the alert, and keeps the channel if the alert is rejected', async (t) => {
  const calls = []
  const rejected = { '/channels': null, '/rules': null }
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  globalThis.fetch = async (url, { method, body }) => {
    const path = url.replace('/api/v1/alerts', '')
    calls.push([method, path, JSON.parse(body).channels ?? JSON.parse(body).name])
    return rejected[path] ? jsonResponse({ error: 'enter it', code: 'INVALID_REQUEST', details: { param: rejected[path] } }, 400) : jsonResponse(path === '/channels' ? { id: 'c1', secret: 's' } : { id: 'r1' }, 201)
  }
  const data = { kinds: [rate], rules: [], channels: [], firing: [], events: [], email: false }
  let saving, draft = toRuleDraft(undefined, data), closed = 0
  const page = mount(() => (saving = useSaveRule({ data, rule: undefined, draft, onDraft: (next) => (draft = next), onClose: () => closed++ }, 'percent')))
  const send = async () => {
    await saving.send()
    page.update()
    await settle()
  }
  saving.setChannel({ kind: 'webhook', address: 'https://example.com', name: 'Hook' })
  await settle()

  rejected['/channels'] = 'name'
  await send()
  assert.equal(saving.mutation.fieldError('name'), undefined, 'the name of the alert is valid')
  assert.equal(saving.mutation.fieldError('channel_name'), 'Enter it')
  assert.ok(saving.needsChannel)

  rejected['/channels'] = null
  rejected['/rules'] = 'name'
  await send()
  assert.equal(saving.mutation.fieldError('name'), 'The channel is created, but the alert is not. Enter it')
  assert.deepEqual([saving.needsChannel, saving.channels[0].id, draft.body.channels], [false, 'c1', ['c1']])

  rejected['/rules'] = null
  await send()
  assert.deepEqual(calls, [['POST', '/channels', 'Hook'], ['POST', '/channels', 'Hook'], ['POST', '/rules', ['c1']], ['POST', '/rules', ['c1']]])
  assert.deepEqual([saving.finished, saving.created.secret, closed], ['Alert created', 's', 0])
  page.unmount()
})

test('a dialog that is left while its channel is created still shows the secret', async (t) => {
  const { fetch } = globalThis
  t.after(() => (globalThis.fetch = fetch))
  const data = { kinds: [rate], rules: [], channels: [], firing: [], events: [], email: false }
  for (const [rejected, want] of [[null, ['Alert created', 0]], ['/rules', ['Channel created', 0]], ['/channels', ['', 1]]]) {
    let answer, saving, closed = 0
    const asked = new Promise((resolve) => (globalThis.fetch = async (url) => {
      const path = url.replace('/api/v1/alerts', '')
      if (path === '/channels') await new Promise((go) => resolve((answer = go)))
      return path === rejected ? jsonResponse({ error: 'enter it', code: 'INVALID_REQUEST', details: { param: 'name' } }, 400) : jsonResponse({ id: 'x', secret: 's' }, 201)
    }))
    const page = mount(() => (saving = useSaveRule({ data, rule: undefined, draft: toRuleDraft(undefined, data), onDraft() {}, onClose: () => closed++ }, 'percent')))
    const sent = saving.send()
    await asked
    await settle()
    saving.leave()
    assert.equal(closed, 0, 'the channel has no secret yet')
    answer()
    await sent
    await settle()
    assert.deepEqual([saving.finished, closed], want)
    page.unmount()
  }
})

test('the form asks for the name of a channel only after its address', () => {
  const fields = (draft) => [...NewChannel({ email: true, draft: { ...newChannel, ...draft }, onDraft() {}, error() {} }).props.children].flat(Infinity).flatMap(labels)
  const labels = (node) => (!node?.props ? [] : [...(node.props.label ? [node.props.label] : []), ...[node.props.children].flat(Infinity).flatMap(labels)])
  assert.deepEqual(fields({}), ['Send to', 'URL'])
  assert.deepEqual(fields({ address: 'https://example.com' }), ['Send to', 'URL', 'Channel name'])
  assert.deepEqual(fields({ kind: 'email', address: ' ' }), ['Send to', 'E-mail address'])
  assert.deepEqual(fields({ kind: 'none' }), ['Send to'])
})
