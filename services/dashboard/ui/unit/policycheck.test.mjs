import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { useLiveCheck } from '../src/pages/policy/check'
import { useRules } from '../src/pages/policy/rulelist'

const rule = { route: 'auto', index: 0, name: 'a' }
const valid = { problems: [], version: 'v', rules: [rule] }
const syntax = { problems: [{ code: 'SYNTAX', path: '', line: 1, column: 1, message: 'm' }], version: '', rules: [] }

/** Types texts and returns what was sent and what the page sees. */
function page(answer) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const sent = []
  globalThis.fetch = async (_, o) => {
    sent.push(JSON.parse(o.body).document)
    return jsonResponse(answer(sent.at(-1)))
  }
  let text = null, seen
  const probe = mount(() => (seen = useLiveCheck(text)))
  const type = async (now, ms) => {
    text = now
    probe.update()
    await settle()
    mock.timers.tick(ms)
    await settle()
  }
  return { sent, type, check: () => seen }
}

test('only a text that stays unchanged is checked', async () => {
  const p = page(() => valid)
  await p.type('a', 100)
  await p.type('ab', 249)
  assert.deepEqual(p.sent, [])
  await p.type('abc', 250)
  assert.deepEqual(p.sent, ['abc'])
  assert.equal(p.check().now.version, 'v')
  await p.type('abcd', 10)
  assert.deepEqual([p.check().now, p.check().last.version], [null, 'v'], 'the last result stays')
  await p.type(null, 300)
  assert.deepEqual([p.sent.length, p.check().last], [1, null], 'without a draft nothing is checked')
  mock.timers.reset()
})

test('the last known rules stay while the text is not valid YAML', async () => {
  const p = page((document) => (document === 'bad' ? syntax : valid))
  await p.type('good', 250)
  await p.type('bad', 250)
  assert.deepEqual([p.check().now.problems.length, p.check().now.rules], [1, [rule]])
  mock.timers.reset()
})

test('rules are shown before their requests are counted', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let count, seen
  const counted = new Promise((done) => (count = done))
  globalThis.fetch = (path) => (path === '/api/v1/policy/validate' ? jsonResponse(valid) : counted)
  const probe = mount(() => (seen = useRules('/policy/rules', 'text')))
  await settle()
  assert.equal(seen.data, undefined)
  mock.timers.tick(250)
  await settle()
  assert.deepEqual([seen.data, seen.loading], [{ items: [rule], isCounted: false }, true])
  const figures = { ...rule, figures: { requests: 3 } }
  count(jsonResponse({ items: [figures] }))
  await settle()
  assert.deepEqual([seen.data, seen.loading], [{ items: [figures], isCounted: true }, false])
  probe.unmount()
  mock.timers.reset()
})
