// The order of the request list: in the URL, after a click on a column, and over several pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { appendRequests } from '../src/pages/requests/mergerequests'
import { currentSort, isNewestFirst, nextSort, setSort, sortParams } from '../src/pages/requests/sort'

test('a click on a column sorts by it, then the other way round, then newest first', () => {
  let now = currentSort()
  assert.ok(isNewestFirst(now))
  now = nextSort(now, 'cost')
  assert.deepEqual(now, { by: 'cost', ascending: false })
  assert.deepEqual(nextSort(now, 'saved'), { by: 'saved', ascending: false })
  now = nextSort(now, 'cost')
  assert.deepEqual(now, { by: 'cost', ascending: true })
  assert.ok(isNewestFirst(nextSort(now, 'cost')))
  assert.deepEqual(nextSort(currentSort(), 'time'), { by: 'time', ascending: true })
})

test('the order is in the URL, which is clean for the default', () => {
  setSort({ by: 'latency', ascending: true })
  assert.equal(new URL(location.href).search, '?sort=latency&order=asc')
  assert.deepEqual(currentSort(), { by: 'latency', ascending: true })
  setSort({ by: 'tokens', ascending: false })
  assert.equal(new URL(location.href).search, '?sort=tokens')
  setSort({ by: 'time', ascending: false })
  assert.equal(new URL(location.href).search, '')
  assert.deepEqual(sortParams({ by: 'time', ascending: true }), { sort: 'time', order: 'asc' })
})

test('the next page of a sorted list is appended as it is, without duplicates', () => {
  const rows = (...ids) => ids.map((id) => ({ id }))
  assert.deepEqual(appendRequests(rows('c', 'a'), rows('a', 'b')), rows('c', 'a', 'b'))
})
