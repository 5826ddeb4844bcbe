// Group budgets: their form and their meters.
import './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMember, describeSelector, emptyBudget, findBudgetError, listMeters, toBudgetBody, toBudgetDraft } from '../src/pages/account/budget'

const amounts = { nano_usd_per_hour: 0, nano_usd_per_day: 2_500_000_000, nano_usd_per_week: 0, nano_usd_per_month: 0, nano_usd_total: 40_000_000_000 }
const users = { id: '1', name: 'users', kind: 'user', value: '*', amounts, spent: [] }

test('a budget survives the form unchanged', () => {
  assert.deepEqual(toBudgetBody(toBudgetDraft(users)), { name: 'users', kind: 'user', value: '*', amounts })
  assert.equal(toBudgetBody({ ...emptyBudget, kind: 'key' }).value, '*', 'a budget for keys is for each key')
})

test('an invalid amount is reported with its field', () => {
  assert.equal(findBudgetError(toBudgetDraft(users)), null)
  assert.equal(findBudgetError({ ...emptyBudget, week: 'a lot' }).param, 'week')
})

test('each window has a meter, and each member of it', () => {
  assert.deepEqual(listMeters(users).map((m) => [m.window, m.spent, m.limit]), [['day', 0, 2_500_000_000], ['total', 0, 40_000_000_000]])
  const spent = ['ada', 'ben', null].map((member, i) => ({ member, window: 'day', period: '2026-11-17', nano_usd: 30 - i, limit_nano_usd: 2_500_000_000 }))
  const meters = listMeters({ ...users, spent }, 2)
  assert.deepEqual(meters.map((m) => [m.window, m.member]), [['day', 'ada'], ['day', 'ben'], ['total', null]])
  assert.equal(describeMember(users, meters[0], new Map()), 'ada')
  assert.equal(describeMember(users, { ...meters[0], member: null }, new Map()), 'no user')
  assert.equal(describeMember(users, meters[2], new Map()), 'nothing spent')
  assert.equal(describeMember({ kind: 'key', value: '*' }, { ...meters[0], member: 'k1' }, new Map([['k1', 'prod']])), 'prod')
  assert.equal(describeMember({ kind: 'tag', value: 'eu' }, meters[0], new Map()), '')
  assert.deepEqual([describeSelector(users), describeSelector({ kind: 'tag', value: 'eu' })], ['each user', 'tag eu'])
})
