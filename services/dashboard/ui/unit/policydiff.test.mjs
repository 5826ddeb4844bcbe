import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { DiffView } from '../src/pages/policy/diffview'
import { describePath, toYAML } from '../src/pages/policy/diffwords'

test('a change names the route and the rule', () => {
  assert.equal(describePath('routes.auto.select[first].min_quality', '0.6'), 'Route auto, rule first: min_quality')
  assert.equal(describePath('routes.my.route.select[0].aim.share', '0.9'), 'Route my.route, rule 1: aim.share')
  assert.equal(describePath('routes.auto.select[new]', '{"name":"new"}'), 'Route auto, rule new')
  assert.equal(describePath('models.llama3.2', '{"id":"llama3.2"}'), 'Model llama3.2')
  assert.equal(describePath('models.llama3.2.context', '1000'), 'models.llama3.2.context')
  assert.equal(describePath('defaults.baseline', 'large'), 'defaults.baseline')
})

test('a value is written as in a document, not as JSON', () => {
  assert.equal(toYAML('["eu","on prem"]'), '[eu, on prem]')
  assert.equal(toYAML('{"ref":"env:B","zone":"eu "}'), '{ref: "env:B", zone: "eu "}')
  assert.equal(toYAML('{"a":"0","b":"yes","c":"x: y","d":"a #b","e":null,"f":1.5}'), '{a: "0", b: "yes", c: "x: y", d: "a #b", e: null, f: 1.5}')
  const rule = { name: 'new', when: [{ field: 'budget.used_percent', max: 12.5 }, { field: 'time.utc', window: '22:00-06:00' }], candidates: ['small'], min_quality: 0.9 }
  assert.equal(toYAML(JSON.stringify(rule)), 'name: new\nwhen:\n  - {field: budget.used_percent, max: 12.5}\n  - {field: time.utc, window: "22:00-06:00"}\ncandidates: [small]\nmin_quality: 0.9')
  for (const text of ['30s', '[broken', '12 (2 added, 0 removed, 0 changed)', '']) assert.equal(toYAML(text), text)
})

test('a single long entry starts on a line of its own', () => {
  const long = 'x'.repeat(61)
  assert.equal(toYAML(JSON.stringify({ models: [long] })), `models:\n  - ${long}`)
  assert.equal(toYAML(JSON.stringify({ aim: { text: long } })), `aim:\n  text: ${long}`)
  assert.equal(toYAML(JSON.stringify([{ text: long }, [long], long])), `- text: ${long}\n- - ${long}\n- ${long}`)
})

test('a comparison shows no JSON', () => {
  const d = { unified: '', changes: [{ path: 'routes.auto.on_failure', kind: 'changed', old: '["large"]', new: '["small","large"]' }] }
  assert.match(textOf(DiffView({ of: d })), /changedroutes\.auto\.on_failure\[large\]\[small, large\]/)
})
