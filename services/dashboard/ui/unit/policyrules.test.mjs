import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeReading, toQuestion } from '../src/pages/policy/question'
import { describeAction, describeConditions, findMark, groupByRoute, joinFigures, linksTo } from '../src/pages/policy/rules'

const sums = (requests) => ({ requests, routed_nano_usd: 1, baseline_nano_usd: 2, saved_nano_usd: 1, unpriced: 0 })
const rule = (name, index, more = {}) => ({ route: 'auto', index, name, label: name ?? `select[${index}]`, line: 3, when: [], action: [{ name: 'target', value: 'large' }], text: `{target: large}${index}`, figures: null, ...more })

test('a draft rule keeps its figures when it moves, and a new rule has none', () => {
  const active = [rule('a', 0, { figures: sums(3), filter: 'rule:"a"' }), rule(null, 1, { figures: sums(0), filter: 'rule:"select[1]"' })]
  const draft = [rule(null, 0, { text: active[1].text }), rule('a', 1), rule('new', 2)]
  const joined = joinFigures(draft, active)
  assert.deepEqual(joined.map((r) => [r.figures?.requests, r.filter]), [[0, 'rule:"select[1]"'], [3, 'rule:"a"'], [undefined, undefined]])
  assert.equal(joinFigures([rule('a', 0, { route: 'other' })], active)[0].figures, null, 'a rule of another route')
  assert.equal(joinFigures([rule(null, 1, { text: 'changed' })], active)[0].figures, null, 'another rule at the same position')
})

test('rules are grouped by route in the order of the document', () => {
  assert.deepEqual(groupByRoute([rule('a', 0), rule('b', 0, { route: 'x' }), rule('c', 1)]).map((g) => [g.route, g.rules.map((r) => r.name)]), [['auto', ['a', 'c']], ['x', ['b']]])
})

test('a rule is marked as dead, faulty, new or unused', () => {
  const used = rule('a', 1, { figures: sums(1) }), unused = rule('a', 1, { figures: sums(0) })
  const problem = (code, path) => ({ code, path, line: 1, column: 1, message: 'm' })
  assert.equal(findMark(used, [], rule('a', 1).text), null)
  assert.equal(findMark(unused, [], rule('a', 1).text).text, 'No requests in this range')
  assert.equal(findMark({ ...unused, action: [{ name: 'require', value: '[]' }] }, [], rule('a', 1).text).text, 'No effect in this range')
  assert.equal(findMark(rule('a', 1), [], rule('a', 1).text), null, 'unknown figures are not zero')
  assert.equal(findMark(used, [], undefined).text, 'Not active yet')
  assert.equal(findMark(used, [], '{target: other}').text, 'Changed in the draft')
  assert.equal(findMark(used, [problem('BAD_VALUE', 'routes.auto.select[1].target'), problem('DEAD_RULE', 'routes.auto.select[1]')], rule('a', 1).text).kind, 'dead')
  assert.equal(findMark(used, [problem('BAD_VALUE', 'routes.auto.select[1].target')], rule('a', 1).text).kind, 'problem')
  assert.equal(findMark(used, [problem('DEAD_RULE', 'routes.auto.select[10]'), problem('DEAD_RULE', 'routes.other.select[1]')], rule('a', 1).text), null)
})

test('rules are described in words', () => {
  const does = (...action) => describeAction(rule('a', 0, { action: action.map(([name, value]) => ({ name, value })) }))
  assert.equal(does(['target', 'large']), 'Use large')
  assert.equal(does(['deny', 'at night']), 'Reject: “at night”')
  assert.equal(does(['require', '[{provider.tag: eu}]']), 'Only candidates with provider.tag: eu')
  assert.equal(does(['candidates', '[a, b]']), 'First available of a, b')
  assert.equal(does(['strategy', 'cheapest'], ['min_quality', '0.7'], ['candidates', '[a, b]']), 'Cheapest of a, b, quality at least 0.7')
  assert.equal(does(['aim', '{quality: 0.97}'], ['candidates', '[a]']), 'Aim quality: 0.97: a')
  assert.equal(does(), 'No action')
  const when = (...all) => describeConditions(rule('a', 0, { when: all.map(([name, value]) => ({ name, value })) }))
  assert.equal(when(), 'Always')
  assert.equal(when(['key.tag', 'legal'], ['request.tokens', '{gte: 9}']), 'key.tag is legal and request.tokens gte: 9')
})

test('figures of all accounts link to the requests of the own account', () => {
  const of = (requests, account_requests) => linksTo({ ...sums(requests), account_requests })
  assert.deepEqual([of(3, 3), of(3, 1), of(3, 0), of(0, 0), linksTo(null)], ['all', 'some', 'none', 'all', 'none'])
})

test('a pasted request body is asked as it is, and other text is a message', () => {
  const of = (message) => toQuestion({ model: ' auto ', needs: 'tools, ', tags: 'a,b', message })
  assert.deepEqual(of(' {"model": "x", "messages": []}'), { model: 'x', messages: [], caller: { tags: ['a', 'b'] } })
  const data = '{"order": 7, "model": "T", "input": null}'
  for (const message of ['hi', '{broken', '[1]', '3', data]) assert.deepEqual(of(message), { model: 'auto', needs: ['tools'], excerpt: message, caller: { tags: ['a', 'b'] } })
  const readings = ['hi', '{broken', data, '{"input": "hi"}', '{"contents": []}'].map((message) => describeReading(message).split(/[.,:]/)[0])
  assert.deepEqual(readings, ['A user message', 'A user message', 'Read as a message', 'Read as the body of a request', 'Read as the body of a request'])
})
