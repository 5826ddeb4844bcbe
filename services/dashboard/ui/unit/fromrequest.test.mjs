import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRoute, freeName, quote, suggestConditions, suggestName, writeRule } from '../src/pages/policy/fromrequest'

const request = {
  requested_model: 'auto', endpoint: 'chat', key_id: '01a', key_name: 'prod web', stream: true,
  inputs: { tags: ['legal', 'eu'], metadata: { purpose: 'night: batch' }, needs: ['tools'], input_tokens: 1200 },
}

test('a request suggests the conditions that it meets', () => {
  assert.deepEqual(suggestConditions(request).map((s) => [s.field, s.value]), [
    ['key.tag', '[legal, eu]'], ['request.metadata.purpose', '"night: batch"'], ['key.id', '"01a"'], ['request.capability', 'tools'], ['request.tokens', '{gte: 1200}'], ['request.stream', 'true'],
  ])
  assert.deepEqual(suggestConditions({ ...request, inputs: null, stream: false }).map((s) => s.field), ['key.id', 'request.stream'])
})

test('the rule goes to the route that decided, or to auto', () => {
  const routes = ['x', 'auto', 'auto-embed']
  assert.equal(findRoute(request, routes), 'auto')
  assert.equal(findRoute({ ...request, requested_model: 'auto:economy' }, routes), 'auto')
  assert.equal(findRoute({ ...request, endpoint: 'embeddings' }, routes), 'auto-embed')
  assert.equal(findRoute({ ...request, requested_model: 'large' }, routes), 'auto')
  assert.equal(findRoute({ ...request, requested_model: 'x' }, routes), 'x')
  assert.equal(findRoute(request, ['only']), 'only')
})

test('a rule is one line of YAML with quotes where they are needed', () => {
  const [tag, purpose] = suggestConditions(request)
  assert.equal(writeRule('legal', [tag, purpose], { kind: 'target', model: 'a:b' }), '{name: legal, when: {key.tag: [legal, eu], request.metadata.purpose: "night: batch"}, target: "a:b"}')
  assert.equal(writeRule('all', [], { kind: 'deny', message: 'no "x"' }), '{name: all, deny: "no \\"x\\""}')
  assert.deepEqual(['a', 'true', '1', 'a: b', '', 'No', 'a#b'].map(quote), ['a', '"true"', '"1"', '"a: b"', '""', '"No"', '"a#b"'])
})

test('the proposed name is free', () => {
  const [, purpose, key] = suggestConditions(request)
  assert.equal(suggestName([purpose]), 'purpose-night-batch')
  assert.equal(suggestName([key]), 'key-prod-web')
  assert.equal(suggestName([]), 'all-requests')
  assert.equal(freeName('a', 'auto', [{ route: 'auto', name: 'a' }, { route: 'auto', name: 'a-2' }, { route: 'x', name: 'a-3' }]), 'a-3')
})
