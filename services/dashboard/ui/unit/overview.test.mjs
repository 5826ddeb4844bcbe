// The figures of the overview, and what an error box says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mount } from './mount.mjs'
import { render, textOf } from './render.mjs'
import { ApiError } from '../src/api'
import { ErrorBox } from '../src/components/states'
import { KeyFigures } from '../src/pages/overview/keyfigures'
import { Histogram } from '../src/pages/requests/histogram'

const now = { requests: 461, ok: 400, rejected: 11, fallback: 0, policy: 38, routed_nano_usd: 0, baseline_nano_usd: 0, saved_nano_usd: 0, unpriced: 0 }
const data = { now, before: now, measured: { requests: 461, gateway_p50_us: null, gateway_p95_us: 1500, ttft_p95_us: null } }
const figures = (more) => Object.fromEntries(KeyFigures({ data: { ...data, now: { ...now, ...more } }, scope: { filter: 'key:a', range: '24h' } }).props.children.map((f) => {
  const [dt, dd] = f.props.children
  const link = dd.props.children
  return [textOf(dt), { value: textOf(dd), query: link?.props?.href ? new URL(link.props.href, 'http://h').searchParams : null }]
}))

test('a share and the requests it links to leave out the same failures', () => {
  const f = figures()['Routed by policy']
  assert.equal(f.value, '8.2\u00a0%')
  assert.equal(f.query.get('q'), 'key:a route:policy -outcome:error -outcome:interrupted -outcome:aborted')
  assert.equal(f.query.get('range'), null, 'the default range')
  assert.equal(figures({ policy: 0 })['Routed by policy'].query, null, 'no link to an empty list')
})

test('rejected requests are not failures of the gateway', () => {
  assert.equal(figures()['Success rate of accepted'].value, '89\u00a0%')
  assert.equal(figures()['Success rate of accepted'].query.get('q'), 'key:a outcome:ok')
  assert.equal(figures()['Rejected'].query.get('q'), 'key:a outcome:rejected')
  assert.equal(figures({ ok: 450 })['Success rate of accepted'].value, '100\u00a0%')
  assert.equal(figures({ requests: 11, ok: 0 })['Success rate of accepted'].value, '—')
  assert.equal(figures({ rejected: 0, ok: 461 })['Success rate'].value, '100\u00a0%')
  assert.equal('Rejected' in figures({ rejected: 0 }), false)
  assert.equal(figures()['Gateway time p95'].query.get('q'), 'key:a gateway:>=1500us')
  assert.equal(figures()['First token p95'].value, '—')
})

test('the summary of the chart does not count rejected requests as failures', () => {
  const summary = (error) => {
    let chart
    mount(() => (chart = Histogram({ data: { from: '2026-11-14T12:00:00Z', to: '2026-11-14T12:01:00Z', step_seconds: 60, buckets: [{ time: '2026-11-14T12:00:00Z', expected: 3, fallback: 0, policy: 0, error }] } }))).unmount()
    return chart.props.summary
  }
  assert.equal(summary(2), '5 requests: 2 failed or were rejected.')
  assert.equal(summary(1), '4 requests: 1 failed or was rejected.')
})

test('an error names the API call, but not beside an id that does not exist', () => {
  const box = (status, code) => textOf(ErrorBox({ error: new ApiError('No', code, status, {}, 'req-1') }))
  assert.equal(box(404, 'NOT_FOUND'), 'NoNOT_FOUND')
  assert.equal(box(503, 'STORE_UNAVAILABLE'), 'NoSTORE_UNAVAILABLE · API call req-1')
  const retry = (status) => /Try again/.test(render(ErrorBox({ error: new ApiError('No', 'X', status), onRetry() {} })))
  assert.deepEqual([0, 408, 429, 500, 400, 404].map(retry), [true, true, true, true, false, false])
})
