// Saved views: what of the address belongs to a view.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { viewQuery } from '../src/pages/requests/viewquery'

test('a view has the filter, the range, the order and the columns, and not the open request', () => {
  const of = (text) => viewQuery(new URLSearchParams(text))
  assert.equal(of('sel=1&cols=time,id&q=model:a*&tab=cost&live=off&sort=cost&order=asc&range=7d&compare=2'), 'q=model%3Aa*&range=7d&sort=cost&order=asc&cols=time%2Cid')
  assert.equal(of('q=&sel=1'), '')
  assert.equal(of('sort=cost&q=x'), of('q=x&sort=cost'), 'the order of parameters does not matter')
})
