// The comparison of two texts, and the text of a stored body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { contentText } from '../src/pages/request/contenttext'
import { diffWords } from '../src/textdiff'

const marks = { same: '', removed: '-', added: '+' }
const show = (a, b) => diffWords(a, b)?.map((p) => (p.kind === 'same' ? p.text : `[${marks[p.kind]}${p.text}]`)).join('')

test('only the words that differ are marked', () => {
  assert.equal(show('the quick fox', 'the slow fox'), 'the [-quick][+slow] fox')
  assert.equal(show('a b c', 'a c'), 'a [-b ]c')
  assert.equal(show('', 'new'), '[+new]')
  assert.equal(show('old', ''), '[-old]')
  assert.equal(show('same', 'same'), 'same')
  assert.equal(show('', ''), '')
})

test('both texts can be read from the pieces', () => {
  const random = (seed) => { let n = seed; return Array.from({ length: 60 }, () => 'abc'[(n = (n * 1103515245 + 12345) % 2147483648) % 3]).join(' ') }
  for (let seed = 1; seed < 30; seed++) {
    const [a, b] = [random(seed), random(seed * 7)]
    const pieces = diffWords(a, b)
    assert.equal(pieces.filter((p) => p.kind !== 'added').map((p) => p.text).join(''), a)
    assert.equal(pieces.filter((p) => p.kind !== 'removed').map((p) => p.text).join(''), b)
  }
})

test('long texts are compared only if most of them is equal', () => {
  const long = (n, word) => Array.from({ length: n }, (_, i) => word + i).join(' ')
  assert.equal(diffWords(long(4000, 'a'), long(4000, 'b')), null)
  assert.equal(diffWords(long(4000, 'a') + ' x', long(4000, 'a') + ' y').length, 3)
})

test('a body is read as turns, and text that is no conversation as it is', () => {
  assert.equal(contentText(null), null)
  assert.equal(contentText('{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"text":"yo"}]}]}'), 'user: hi\n\nassistant: yo')
  assert.equal(contentText('{"choices":[{"message":{"role":"assistant","content":"yes"}}]}'), 'assistant: yes')
  assert.equal(contentText('{"cut'), '{"cut')
})
