// Suggestions for the filter: the term at the caret, fields, values and counts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import './browser.mjs'
import { applySuggestion, facetField, facetText, fields, otherTerms, suggest, termAt } from '../src/components/suggest'

/** Splits a filter at the caret, which is written as |. */
const at = (text) => [text.replace('|', ''), text.indexOf('|')]
const term = (text) => termAt(...at(text))

test('every field of the filter is suggested', () => {
  const docs = readFileSync('../../../docs/reference/filters.md', 'utf8')
  const documented = [...docs.matchAll(/^\| `([^`]+)` \|/gm)].map((m) => m[1])
  assert.deepEqual(fields.map((f) => f.name).sort(), documented.sort())
})

test('the term at the caret is found, with its field and what is typed', () => {
  assert.deepEqual(term('mod|'), { start: 0, end: 3, excluded: false, field: null, typed: 'mod' })
  assert.deepEqual(term('route:policy -model:gp|t stream:true'), { start: 13, end: 23, excluded: true, field: 'model', typed: 'gp' })
  assert.deepEqual(term('key:"my k|'), { start: 0, end: 9, excluded: false, field: 'key', typed: 'my k' })
  assert.deepEqual(term('model:x |'), { start: 8, end: 8, excluded: false, field: null, typed: '' })
  assert.equal(term('"a:b|').field, null, 'free text has no field')
})

test('fields are suggested by name, then by meaning', () => {
  const labels = (text) => suggest(term(text), undefined).map((s) => s.label)
  assert.deepEqual(labels('la|').slice(0, 1), ['latency:'])
  assert.ok(labels('error|').includes('code:'))
  assert.equal(labels('|').length, fields.length)
  assert.deepEqual(suggest(term('-prov|'), undefined)[0].term, '-provider:')
})

test('values come with their counts, and fixed values without one', () => {
  const facets = { field: 'route', sampled: false, values: [{ value: 'policy', requests: 7 }] }
  const found = suggest(term('route:|'), facets)
  assert.deepEqual(found.map((s) => [s.label, s.requests]), [['policy', 7], ['expected', undefined], ['fallback', undefined]])
  assert.deepEqual(suggest(term('route:|'), { ...facets, field: 'model' }).map((s) => s.label), ['expected', 'fallback', 'policy'])
  assert.deepEqual(suggest(term('route:fal|'), { ...facets, values: [{ value: 'expected', requests: 9 }, { value: 'fallback', requests: 2 }] }).map((s) => s.label), ['fallback'], 'values of a shorter text are filtered')
  const quoted = suggest(term('-key:|'), { field: 'key', sampled: false, values: [{ value: 'my key', requests: 1 }] })
  assert.equal(quoted[0].term, '-key:"my key" ')
  assert.deepEqual(suggest(term('latency:|'), undefined).map((s) => s.note), ['Example', 'Example', 'Example'])
})

test('the server counts only fields that have values', () => {
  assert.equal(facetField(term('mod|')), null)
  assert.equal(facetField(term('model:|')), 'model')
  assert.equal(facetField(term('cost:>|')), null)
  assert.equal(facetField(term('status:5|')), 'status')
  assert.equal(facetField(term('has:|')), null)
  assert.equal(facetField(term('meta.team:se|')), 'meta.team')
  assert.equal(facetField(term('meta.te|')), 'meta')
  assert.equal(facetText(term('meta.te|')), 'te')
  assert.equal(facetField(term('nope:|')), null)
  const [filter, caret] = at('route:policy mod|el:x has:error')
  assert.equal(otherTerms(filter, termAt(filter, caret)), 'route:policy has:error')
})

test('a suggestion replaces the term at the caret only', () => {
  const apply = (text, n = 0, facets) => {
    const [filter, caret] = at(text)
    const t = termAt(filter, caret)
    const out = applySuggestion(filter, t, suggest(t, facets)[n])
    return out.filter.slice(0, out.caret) + '|' + out.filter.slice(out.caret)
  }
  assert.equal(apply('lat|'), 'latency:|')
  assert.equal(apply('route:policy out| stream:true'), 'route:policy outcome:| stream:true')
  assert.equal(apply('stream:t| route:policy'), 'stream:true |route:policy')
})
