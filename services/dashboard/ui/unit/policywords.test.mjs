import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryNames, propose } from '../src/pages/policy/complete'
import { locate } from '../src/pages/policy/locate'

/** The place of the mark | in a text. */
function at(text) {
  const p = locate(text.replace('|', ''), text.indexOf('|'))
  return p && [p.path, p.kind, p.typed]
}

test('the cursor is located in lines', () => {
  assert.deepEqual(at('ver|'), ['', 'either', 'ver'])
  assert.deepEqual(at('routes:\n  auto:\n    |'), ['routes.*', 'either', ''])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n      - name: x\n        st|'), ['routes.*.select[]', 'either', 'st'])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n    - strategy: che|'), ['routes.*.select[].strategy', 'value', 'che'])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n    - target: a\n    on_failure:\n      - sm|'), ['routes.*.on_failure[]', 'either', 'sm'])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n      - when:\n          budget.used_percent:\n            g|'), ['routes.*.select[].when.budget.used_percent', 'either', 'g'])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n      - target: a\n      - tar|'), ['routes.*.select[]', 'either', 'tar'])
  assert.deepEqual(at('providers:\n  "a.b":\n    kind: |'), ['providers.*.kind', 'value', ''])
  assert.deepEqual(at('models:\n  a: {}\n\ndefaults:\n  b|'), ['defaults', 'either', 'b'])
})

test('the cursor is located in braces and brackets', () => {
  assert.deepEqual(at('routes:\n  auto:\n    select:\n      - {name: x, when: {key.tag: [a, b]}, str|'), ['routes.*.select[]', 'field', 'str'])
  assert.deepEqual(at('routes:\n  auto:\n    select:\n      - {name: x, when: {k|'), ['routes.*.select[].when', 'field', 'k'])
  assert.deepEqual(at('routes:\n  auto: {select: [{strategy: cheapest, candidates: [a, "b, c", d|'), ['routes.*.select[].candidates[]', 'value', 'd'])
  assert.deepEqual(at('routes:\n  auto: {select: [{target: a}, {target: |'), ['routes.*.select[].target', 'value', ''])
  assert.deepEqual(at('routes:\n  auto: {\n    select: [\n      {tar|'), ['routes.*.select[]', 'field', 'tar'])
  assert.deepEqual(at('routes:\n  auto: {select: [{target: a}]}\n  b|'), ['routes', 'either', 'b'])
})

test('nothing is proposed in comments', () => {
  assert.equal(at('# ver|'), null)
  assert.equal(at('version: 1 # o|'), null)
  assert.equal(at('a: {b: c} # o|'), null)
})

test('proposals are fields, values or names', () => {
  const words = { fields: { r: ['a', 'meta.'] }, values: { 'r.a': ['x'] }, models: ['r.m'], providers: ['r.p'] }
  const names = { models: ['large', 'a:b'], providers: ['openai'] }
  const labels = (path, kind) => propose({ path, kind, typed: '', from: 0 }, words, names).map((p) => p.insert)
  assert.deepEqual(labels('r', 'either'), ['a: ', 'meta.'])
  assert.deepEqual(labels('r', 'value'), [])
  assert.deepEqual(labels('r.a', 'value'), ['x'])
  assert.deepEqual(labels('r.m', 'value'), ['large', '"a:b"'])
  assert.deepEqual(labels('r.p', 'field'), [])
  assert.deepEqual(labels('r.p', 'value'), ['openai'])
})

test('the names of a section are found', () => {
  assert.deepEqual(entryNames('models: # ours\n  a: {}\n  # c: {}\n  "b:1":\n    endpoints:\n      - x: y\n  q:7b: {}\n\nroutes:\n  auto: {}\n', 'models'), ['a', 'b:1', 'q:7b'])
  assert.deepEqual(entryNames('models: {a: {}}\n', 'models'), [])
})
