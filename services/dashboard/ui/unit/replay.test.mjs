import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonResponse } from './browser.mjs'
import { render, textOf } from './render.mjs'
import { ReplayReport } from '../src/pages/policy/replay'
import { replayRequests } from '../src/pages/policy/replays'

const sums = { requests: 750, rerouted: 118, refused: 0, served: 0, before_nano_usd: 900_000_000, after_nano_usd: 1_000_000_000, difference_nano_usd: 100_000_000, unpriced: 0 }
const replayed = (more) => {
  const own = { ...sums, ...more }
  return { ...own, skipped: 0, truncated: false, costlier: [], routes: [{ ...own, group: 'auto', other: false }] }
}
const draft = replayed({ rerouted: 130, after_nano_usd: 1_270_000_000, difference_nano_usd: 370_000_000 })

test('a draft is replayed beside the active version, and the active document alone', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-14T12:00:00Z') })
  const sent = [], range = { from: '2026-11-07T11:59:00.000Z', to: '2026-11-14T11:59:00.000Z' }
  globalThis.fetch = async (_, o) => {
    sent.push(JSON.parse(o.body))
    return jsonResponse(sent.at(-1).document ? draft : replayed())
  }
  const both = await replayRequests('version: 1', true)
  assert.deepEqual([sent, both.text.after_nano_usd, both.active.after_nano_usd], [[{ document: 'version: 1', ...range }, range], 1_270_000_000, 1_000_000_000])
  assert.equal((await replayRequests('version: 1', false)).active, null)
  assert.equal(sent.length, 3)
})

test('requests of the last minute are replayed if there are no older ones', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-14T12:00:00Z') })
  const sent = []
  globalThis.fetch = async (_, o) => {
    sent.push(JSON.parse(o.body).to)
    return jsonResponse(replayed({ requests: sent.at(-1) === '2026-11-14T12:00:00.000Z' ? 3 : 0 }))
  }
  const { text, active } = await replayRequests('version: 1', true)
  assert.deepEqual([text.requests, active.requests, sent.length], [3, 3, 4])
})

test('the replay of the active version says what it is compared with', () => {
  const text = textOf(ReplayReport({ of: { text: replayed(), active: null } }))
  assert.match(text, /Of 750 requests in the last 7 days, 118 would have been routed differently\. This compares with what was paid: each request was routed by the policy that was active at that time/)
  assert.match(text, /RequestedRequestsRerouted.*PaidActive policyChange/)
  assert.doesNotMatch(text, /[dD]raft/)
})

test('the replay of a draft compares its cost with that of the active version', () => {
  const report = ReplayReport({ of: { text: draft, active: replayed() } })
  assert.match(textOf(report), /The draft costs \$0\.27 more than the active policy: \$1\.27 instead of \$1\.00\./)
  assert.match(textOf(report), /130 would have been routed differently with the draft \(118 with the active policy\)/)
  assert.match(textOf(report), /PaidActive policyDraft/)
  const row = render(report).match(/<tfoot>.*/)[0].replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  assert.match(row, /\$0\.9 \$1\.00 \$1\.27 \+\$0\.27/)
  assert.match(textOf(ReplayReport({ of: { text: replayed(), active: replayed() } })), /The draft costs the same as the active policy/)
  assert.match(textOf(ReplayReport({ of: { text: replayed({ after_nano_usd: 400_000_000 }), active: replayed() } })), /The draft costs \$0\.6 less/)
})

test('the replay of another quality names it and answers in money', () => {
  const trial = { kind: 'floor', from: '0.6', to: '0.9' }
  const says = (own, active) => textOf(ReplayReport({ of: { text: own, active }, trial }))
  assert.match(says(draft, replayed()), /^A quality floor of 0\.9 instead of 0\.6 would have cost \$0\.27 more in the last 7 days: \$1\.27 instead of \$1\.00\./)
  assert.match(says(replayed(), draft), /^A quality floor of 0\.9 instead of 0\.6 would have cost \$0\.27 less in/)
  assert.match(says(replayed(), replayed()), /would have cost the same in the last 7 days: \$1\.00\./)
  assert.match(says(replayed({ served: 40 }), replayed()), /^The draft serves 40 more requests/)
})

test('costs that cover different requests are not compared', () => {
  const summary = (own, active) => textOf(ReplayReport({ of: { text: replayed(own), active: replayed(active) } }))
  const cases = [
    [{ served: 40 }, {}, /The draft serves 40 more requests than the active policy, so their costs cannot be compared/],
    [{}, { served: 40 }, /The draft serves 40 fewer requests than/],
    [{ refused: 1 }, {}, /The draft serves 1 fewer request than/],
    [{ refused: 5, served: 5 }, {}, /do not serve the same requests/],
    [{ before_nano_usd: 1 }, {}, /do not serve the same requests/],
    [{ requests: 760, served: 10 }, {}, /do not serve the same requests/],
  ]
  for (const [own, active, want] of cases) {
    assert.match(summary(own, active), want)
    assert.doesNotMatch(summary(own, active), /costs \$|costs the same/)
  }
})

test('a second trial is compared with the first', () => {
  const trial = { rule: 'auto.0', kind: 'floor', from: '0.6', to: '0.9' }
  const says = (cost, earlier) => textOf(ReplayReport({ of: { text: replayed({ after_nano_usd: cost }), active: replayed() }, trial, earlier: { trial: { ...trial, to: '0.97' }, replay: replayed(earlier) } }))
  assert.match(says(1_200_000_000, { after_nano_usd: 1_500_000_000 }), /0\.9 instead of 0\.97, which you tried before, would have saved \$0\.3: \$1\.20 instead of \$1\.50\./)
  assert.match(says(1_500_000_000, { after_nano_usd: 1_200_000_000 }), /would have cost \$0\.3 more: \$1\.50 instead of \$1\.20\./)
  assert.doesNotMatch(says(1_200_000_000, { after_nano_usd: 1_500_000_000, requests: 1 }), /which you tried before/)
})
