import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render, textOf } from './render.mjs'
import { formatDateTime } from '../src/format.ts'
import { Change, Codes } from '../src/pages/errors/errors.tsx'
import { barHeights, codeFilter, describeSilence, describeTrend, precedingRange, splitSentence } from '../src/pages/errors/cause.ts'

test('the number of a sentence becomes a link', () => {
  const split = (sentence, action = 'raise the limit') => splitSentence({ sentence, action })
  assert.deepEqual(split("1,204 requests hit ci's limit: raise the limit"), ['1,204 requests', " hit ci's limit"])
  assert.deepEqual(split('1 request called a: b: check the URL: it ends in /v1', 'check the URL: it ends in /v1'), ['1 request', ' called a: b'])
  assert.deepEqual(split('1 request failed'), ['1 request', ' failed'])
  assert.deepEqual(split('odd'), ['', 'odd'])
})

test('a cause that has stopped says so', () => {
  const said = (lastSeen) => describeSilence('2026-11-14T12:00:00Z', lastSeen)
  assert.deepEqual(['2026-11-14T11:01:00Z', '2026-11-14T11:00:00Z', '2026-11-14T08:30:00Z', '2026-11-11T12:00:00Z'].map(said), [null, 'Not in the last hour', 'Not in the last 3 hours', 'Not in the last 3 days'])
})

test('the trend compares with the preceding period', () => {
  assert.deepEqual(describeTrend(3, 0), { word: 'new', worse: true })
  assert.deepEqual(describeTrend(3, 2), { word: 'up from', worse: true })
  assert.deepEqual(describeTrend(2, 2), { word: 'same as', worse: false })
  assert.deepEqual(describeTrend(1, 2), { word: 'down from', worse: false })
  assert.equal(precedingRange('2026-11-14T12:00:00Z', '2026-11-14T13:00:00Z'), '2026-11-14T11:00:00.000Z..2026-11-14T12:00:00.000Z')
})

test('bars cover the whole range, partial steps included', () => {
  const d = { from: '2026-11-14T12:00:30Z', to: '2026-11-14T12:04:30Z', step_seconds: 60 }
  const steps = [{ time: '2026-11-14T12:00:00Z', requests: 1 }, { time: '2026-11-14T12:04:00Z', requests: 4 }]
  assert.deepEqual(barHeights(d, { steps }), [0.25, 0, 0, 0, 1])
})

test('a new error started at its first request, not at the start of a step', () => {
  const cause = { requests: 1, before: 0, first_seen: '2026-11-14T12:41:00Z', steps: [{ time: '2026-11-14T12:30:00Z', requests: 1 }], filter: null }
  assert.equal(textOf(Change({ data: {}, cause })), `new in this range, since ${formatDateTime(cause.first_seen)}`)
})

test('every code has its total, and a link to the requests', () => {
  const codes = [{ code: 'MODEL_NOT_FOUND', requests: 1204 }, { code: null, requests: 1 }]
  assert.match(render(Codes({ codes, range: '24h' })), /<li><a><span\.mono>MODEL_NOT_FOUND<\/> 1,204<\/><\/><li><a><span\.mono>No code<\/> 1</)
  assert.deepEqual(codes.map((c) => codeFilter(c.code)), ['code:MODEL_NOT_FOUND', 'has:error -code:*'])
  assert.equal(codeFilter('a"b'), null)
})
