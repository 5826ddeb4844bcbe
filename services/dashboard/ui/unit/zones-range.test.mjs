import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from './browser.mjs'
import { groupRequestsURL, groupings } from '../src/pages/impact/groups'
import { emptyDraft, toRequestBody } from '../src/pages/keys/draft'
import { currentRange, parseRange, parseSeconds, rangeQuery, setRange } from '../src/range'
import { navigate, params } from '../src/router'
import { toastText } from '../src/toast'

const now = Date.parse('2026-03-09T12:00:00Z')
const range = (text) => { const r = parseRange(text, now); return [r.from, r.to] }

test('a relative range has exactly its length, also across a change of the clocks', () => {
  assert.deepEqual(range('24h'), ['2026-03-08T12:00:00.000Z', null])
  assert.deepEqual(range('7d'), ['2026-03-02T12:00:00.000Z', null])
  assert.deepEqual(range('15m'), ['2026-03-09T11:45:00.000Z', null])
  assert.equal(parseSeconds('2h'), 7200)
  for (const text of ['0h', '-1h', '1w', '10000d', 'h', '1.5h', ' 1h']) assert.equal(parseSeconds(text), null, text)
})

test('dates without a time are UTC days in every time zone', () => {
  assert.deepEqual(range('2026-03-08..2026-03-09'), ['2026-03-08T00:00:00.000Z', '2026-03-09T00:00:00.000Z'])
  assert.deepEqual(range('2026-11-01T00:00Z..2026-11-02T00:00Z'), ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'])
  assert.deepEqual(range('2026-03-01..'), ['2026-03-01T00:00:00.000Z', null])
})

test('a range whose ends are swapped or equal is invalid', () => {
  for (const text of ['2026-03-09..2026-03-08', '2026-03-08..2026-03-08', '..2026-03-08', '2026-03-08..x', '2026-03-01..2026-03-02..2026-03-03', '2026-13-01..2026-14-01', 'tomorrow 5', '']) {
    assert.deepEqual(parseRange(text, now), { from: '2026-03-08T12:00:00.000Z', to: null, text: '24h' }, text)
  }
})

test('the range in use comes from the URL and starts at a full minute', () => {
  navigate('/requests?range=1h')
  const r = currentRange()
  assert.match(r.from, /:00\.000Z$/)
  assert.equal(Date.now() - Date.parse(r.from) <= 3_600_000, true, 'never longer than asked for')
  assert.deepEqual(rangeQuery(r), { from: r.from, to: null })
  setRange('24h')
  assert.equal(params.value.get('range'), null, 'the default is not in the URL')
  setRange('24h', '7d')
  assert.equal(params.value.get('range'), '24h')
})

test('an invalid range is reported and removed from the URL', async () => {
  navigate('/requests?range=2026-03-09..2026-03-08&q=a')
  await settle()
  assert.match(toastText.value, /^“2026-03-09\.\.2026-03-08” is not a valid time range/)
  assert.deepEqual([...params.value], [['q', 'a']])
})

test('a group of a UTC day links to the part of the day inside the range of the page', () => {
  const day = groupings.find((g) => g.by === 'day')
  const link = (group, from, to) => new URL(groupRequestsURL({ group }, day, { from, to }, { filter: '', range: '7d' }), location.href).searchParams.get('range')
  assert.equal(link('2026-03-08', '2026-03-01T12:00:00Z', null), '2026-03-08T00:00:00.000Z..2026-03-09T00:00:00.000Z')
  assert.equal(link('2026-03-01', '2026-03-01T12:00:00Z', null), '2026-03-01T12:00:00.000Z..2026-03-02T00:00:00.000Z')
  assert.equal(link('2026-03-08', '2026-03-01T12:00:00Z', '2026-03-08T06:00:00Z'), '2026-03-08T00:00:00.000Z..2026-03-08T06:00:00.000Z')
  assert.equal(groupRequestsURL({ group: null, other: true }, day, {}, {}), null)
})

test('a key expires at the end of the chosen day in the local zone', () => {
  const expiry = (expires) => toRequestBody({ ...emptyDraft, expires }, now).expires_at
  const ends = { UTC: '2026-11-01T23:59:59.000Z', 'America/New_York': '2026-11-02T04:59:59.000Z', 'Pacific/Kiritimati': '2026-11-01T09:59:59.000Z' }
  assert.equal(expiry('2026-11-01'), ends[process.env.TZ])
  assert.equal(expiry('30'), '2026-04-08T12:00:00.000Z')
  assert.equal(expiry(''), null)
  assert.equal('expires_at' in toRequestBody({ ...emptyDraft, expires: 'keep' }), false)
})
