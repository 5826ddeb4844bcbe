// Group budgets: their form and their meters.
import './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetsOfKey, describeMember, describeSelector, emptyBudget, findBudgetError, forecastBudgets, listMeters, toBudgetBody, toBudgetDraft } from '../src/pages/account/budget'

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

test('a key has the budgets that count its requests', () => {
  const budget = (kind, value, spent = []) => ({ ...users, id: kind + value, name: kind + value, kind, value, spent })
  const spentOf = (member, nano_usd) => ({ member, window: 'day', period: '2026-11-17', nano_usd, limit_nano_usd: 1 })
  const all = [budget('tag', 'eu'), budget('tag', 'us'), budget('user', '*'), budget('user', 'ada'), budget('agent', 'codex'), budget('key', '*', [spentOf('k1', 7), spentOf('k2', 9)])]
  const of = (k) => budgetsOfKey(all, { id: 'k1', tags: [], user: null, agent: null, ...k }).map((b) => `${b.budget.name} ${b.meters.map((m) => m.spent)}`)
  assert.deepEqual(of({ tags: ['eu'], agent: 'cline' }), ['tageu 0,0', 'user* ', 'userada ', 'key* 7,0'], 'clients may name any user')
  assert.deepEqual(of({ user: 'ben', agent: 'codex' }), ['user* ', 'agentcodex 0,0', 'key* 7,0'])
})

test('monthly budgets are forecast by the average of the month so far', () => {
  const monthly = (name, nano_usd, limit) => ({ ...users, id: name, name, kind: 'tag', value: name, amounts: { ...amounts, nano_usd_per_month: limit }, spent: [{ member: null, window: 'month', period: '2026-11', nano_usd, limit_nano_usd: limit }] })
  const at = (day) => forecastBudgets([monthly('a', 100, 1000), monthly('b', 100, 200)], '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', Date.parse(day)).map((r) => [r.budget.name, r.forecast])
  assert.deepEqual(at('2026-11-11T00:00:00Z'), [['b', 300n], ['a', 300n]])
  assert.deepEqual(at('2026-11-01T12:00:00Z'), [['b', null], ['a', null]], 'too early')
})
