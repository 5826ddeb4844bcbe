import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { comparable, findFloorRule, findTrial, floorOf, isOnlyChange, isQuality, writeFloor } from '../src/pages/policy/floor'

const rule = (index, line, name, value, more = {}) => ({ route: 'auto', index, name: null, label: '', line, when: [], action: [{ name, value }], text: `${name}: ${value}`, figures: null, ...more })

const document = `routes:
  auto:
    select:
      - {target: large#low, when: {key.tag: a}}
      - {candidates: [a#low, b], min_quality: 0.55} # min_quality: 0.1
      - name: second
        # min_quality: 0.2
        min_quality: "0.6"
      - {aim: {quality: 0.97}, candidates: [a]}
`
const rules = [rule(0, 4, 'target', 'large#low'), rule(1, 5, 'min_quality', '0.55'), rule(2, 6, 'min_quality', '0.6'), rule(3, 9, 'aim', '{quality: 0.97}')]

test('the quality of a rule is its floor or its aim', () => {
  assert.deepEqual(rules.map(floorOf), [null, { kind: 'floor', value: '0.55' }, { kind: 'floor', value: '0.6' }, { kind: 'aim', value: '0.97' }])
  assert.equal(floorOf(rule(0, 1, 'aim', '{cost: 0.4}')), null)
  assert.deepEqual(['auto.2', 'auto.0', 'x.1', null].map((p) => findFloorRule(rules, p)?.index), [2, undefined, undefined, undefined])
})

test('another floor changes one number of the text', () => {
  const changed = (i) => writeFloor(document, rules, rules[i], '0.9')
  assert.equal(changed(1), document.replace('0.55}', '0.9}'))
  assert.equal(changed(2), document.replace('"0.6"', '"0.9"'))
  assert.equal(changed(3), document.replace('0.97', '0.9'))
  assert.equal(writeFloor(document, rules, { ...rules[1], line: 4 }, '0.9'), null, 'the next rule stays')
  assert.equal(writeFloor('a: b\n', rules, { ...rules[1], line: 1 }, '0.9'), null)
})

test('a change of another rule is noticed', () => {
  const after = rules.map((r) => (r.index === 1 ? rule(1, 5, 'min_quality', '0.90') : r))
  assert.equal(isOnlyChange(rules, after, rules[1], '0.9'), true)
  assert.equal(isOnlyChange(rules, after, rules[2], '0.9'), false)
  assert.equal(isOnlyChange(rules, rules, rules[1], '0.9'), false)
  assert.equal(isOnlyChange(rules, [{ ...rules[0], text: 'other' }, ...after.slice(1)], rules[1], '0.9'), false)
  assert.equal(isOnlyChange(rules, after.slice(1), rules[1], '0.9'), false)
})

test('a quality is a number from 0 to 1', () => {
  assert.deepEqual(['0', '0.9', '0.97', '1', '1.0', '0.125'].map(isQuality), [true, true, true, true, true, true])
  assert.deepEqual(['', '.9', '1.1', '90', '0.1234', '-0.5', '0,9', '90 %'].map(isQuality), Array(8).fill(false))
})

test('a trial is a draft that differs from the active document only in the quality of one rule', () => {
  const tried = rule(1, 5, 'min_quality', '0.9')
  const text = writeFloor(document, rules, rules[1], '0.9')
  assert.deepEqual(findTrial(text, document, rules, tried), { rule: 'auto.1', kind: 'floor', from: '0.55', to: '0.9' })
  assert.equal(findTrial(text.replace('key.tag: a', 'key.tag: b'), document, rules, tried), null)
  assert.equal(findTrial(text, document, [rules[0]], tried), null)
})

test('a trial is compared with an earlier one of the same rule and active version', () => {
  const now = { rule: 'auto.1', kind: 'floor', from: '0.55', to: '0.9' }
  const earlier = (change) => ({ trial: { ...now, to: '0.97', ...change }, replay: {} })
  assert.equal(comparable(earlier({}), now).trial.to, '0.97')
  for (const change of [{ rule: 'auto.2' }, { kind: 'aim' }, { from: '0.6' }, { to: '0.9' }]) assert.equal(comparable(earlier(change), now), null, JSON.stringify(change))
  assert.equal(comparable(null, now), null)
  assert.equal(comparable(earlier({}), null), null)
})
