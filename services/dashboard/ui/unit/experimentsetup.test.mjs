// The page Quality: the experiments of the policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { describeExperiment, describeState, findDraftError, findPromotable, toAddition } from '../src/pages/quality/setup'

const experiment = { name: 'try', share: 0.05, routes: ['auto'], keys: [], candidates: ['large'], judge: 'judge', daily_usd: '2.50', paused: false }

test('an experiment and its state are described in words', () => {
  assert.equal(describeExperiment(experiment), '5 % of auto: large, judged by judge, at most $2.50 a day')
  assert.match(describeExperiment({ ...experiment, daily_usd: '2' }), /at most \$2\.00 a day$/)
  assert.equal(describeState(experiment, true), 'Running')
  assert.equal(describeState(experiment, false), 'Running, without this account')
  assert.equal(describeState({ ...experiment, paused: true }, true), 'Paused: samples nothing')
})

test('only a result for all tasks that is good enough can be promoted, and not in file mode', () => {
  const setup = { version: 'v', read_only: false, routes: ['auto'], items: [experiment] }
  const pair = { experiment: 'try', task: null, verdict: 'better' }
  assert.equal(findPromotable(pair, setup), experiment)
  assert.equal(findPromotable({ ...pair, verdict: 'not_worse' }, setup), experiment)
  for (const bad of [{ ...pair, verdict: 'worse' }, { ...pair, verdict: 'not_enough_data' }, { ...pair, task: 'code' }, { ...pair, experiment: 'stopped' }]) assert.equal(findPromotable(bad, setup), undefined)
  assert.equal(findPromotable(pair, { ...setup, read_only: true }), undefined)
  assert.equal(findPromotable(pair, undefined), undefined)
})

test('a draft is checked and sent as the policy wants it', () => {
  const draft = { name: 'try', route: 'auto', percent: '0.5', candidates: 'large, medium,', judge: ' judge ', usd: '2.50' }
  assert.equal(findDraftError(draft), null)
  assert.deepEqual(toAddition(draft), { action: 'add', name: 'try', routes: ['auto'], share: '0.005', candidates: ['large', 'medium'], judge: 'judge', daily_usd: '2.50' })
  for (const [param, change] of [['name', { name: 'a b' }], ['share', { percent: '101' }], ['share', { percent: '0' }], ['candidates', { candidates: ' ' }], ['judge', { judge: '' }], ['daily_usd', { usd: '1,5' }]]) {
    assert.equal(findDraftError({ ...draft, ...change })?.[0], param)
  }
})
