import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { addTerm, filterTerm, removeTerm, splitFilter } from '../src/filter'
import { narrowFilter, requestsURL } from '../src/requestlinks'

test('a filter is split at spaces outside of quotes', () => {
  assert.deepEqual(splitFilter(''), [])
  assert.deepEqual(splitFilter('  model:a   -key:"my key"  x'), ['model:a', '-key:"my key"', 'x'])
  assert.deepEqual(splitFilter('key:"open quote'), ['key:"open quote'])
})

test('a value that the grammar would read otherwise is quoted', () => {
  const cases = [
    ['model', 'gpt-5', false, 'model:gpt-5'], ['model', 'gpt*', false, 'model:"gpt*"'], ['key', '*', false, 'key:"*"'], ['key', 'my key', false, 'key:"my key"'],
    ['key', 'a:b', false, 'key:"a:b"'], ['model', 'llama:8b', false, 'model:llama:8b'], ['model', 'llama:8b*', true, '-model:"llama:8b*"'], ['key', '', false, 'key:""'], ['key', 'say "hi"', true, '-key:"say hi"'],
  ]
  for (const [field, value, exclude, want] of cases) assert.equal(filterTerm(field, value, exclude), want)
})

test('terms are added once and removed exactly', () => {
  assert.equal(addTerm('', 'model:a'), 'model:a')
  assert.equal(addTerm('model:a', 'model:a'), 'model:a')
  assert.equal(addTerm('model:ab', 'model:a'), 'model:ab model:a')
  assert.equal(removeTerm('model:a model:ab -model:a', 'model:a'), 'model:ab -model:a')
  assert.equal(removeTerm('key:"my key" x', 'key:"my key"'), 'x')
})

test('a link to a group of requests selects exactly that group', () => {
  assert.equal(narrowFilter('', 'model', 'gpt*'), 'model:"gpt*"')
  assert.equal(narrowFilter('model:a is:stream model:b', 'model', 'c'), 'is:stream model:c', 'several values of a field would match any of them')
  assert.equal(narrowFilter('-model:a', 'model', 'c'), '-model:a model:c', 'an exclusion stays')
  assert.equal(narrowFilter('requested_model:a', 'model', 'c'), 'requested_model:a model:c')
  assert.equal(narrowFilter('key:a', 'code', null), 'key:a -code:*')
})

test('a value that no filter can express has no link', () => {
  assert.equal(narrowFilter('', 'key', 'a"b'), null)
  assert.equal(narrowFilter('', 'key', 'a\nb'), null)
  assert.equal(narrowFilter('', 'key', 'x'.repeat(396)).length, 400)
  assert.equal(narrowFilter('', 'key', 'x'.repeat(397)), null)
  assert.equal(narrowFilter('', 'key', 'ü'.repeat(198)).length, 202)
  assert.equal(narrowFilter('', 'key', 'ü'.repeat(199)), null, 'the limit counts bytes')
})

test('the URL of the request list leaves out what is the default', () => {
  assert.equal(requestsURL('', '24h'), '/requests')
  assert.equal(requestsURL('model:"a b"', '7d'), '/requests?q=model%3A%22a+b%22&range=7d')
})
