// The rows of the request list: their order, and that no request between two shown
// rows is missing.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { FakeEventSource, opened } from './eventsource.mjs'
import { mount } from './mount.mjs'
import { mergeRequests } from '../src/pages/requests/mergerequests'
import { useRequestList } from '../src/pages/requests/requestlist'
import { liveState } from '../src/live'

const request = (n, id = `id${String(n).padStart(4, '0')}`) => ({ id, time: `2026-11-14T00:00:${String(n % 60).padStart(2, '0')}.000000Z`, n })
const names = (rows) => rows.map((r) => r.id.replace(/^id0*/, '')).join(' ')

test('merged rows are newest first, without duplicates, and ids order equal times', () => {
  const same = ['b', 'a', 'c'].map((id) => request(5, id))
  assert.equal(names(mergeRequests([request(1), request(3)], [request(3), request(2)])), '3 2 1')
  assert.equal(names(mergeRequests(same.slice(0, 1), same)), 'c b a')
  assert.equal(names(mergeRequests([request(9)], [])), '9')
  assert.equal(names(mergeRequests([], [request(2), request(1)])), '2 1')
})

let stored, waiting, served, page
/** Answers the calls of the API from the stored requests. A test that sets waiting holds the responses back. */
globalThis.fetch = async (path) => {
  const url = new URL(path, location.href)
  served.push(url)
  await waiting
  if (stored instanceof Error) throw stored
  const older = stored.filter((r) => !url.searchParams.get('cursor') || r.id < url.searchParams.get('cursor'))
  const items = [...older].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 100)
  return jsonResponse({ items, next_cursor: older.length > 100 ? items.at(-1).id : null })
}

const upTo = (n, from = 1) => Array.from({ length: n - from + 1 }, (_, i) => ({ ...request(0, `id${String(from + i).padStart(4, '0')}`), time: new Date(Date.UTC(2026, 10, 14) + (from + i) * 1000).toISOString() }))

/** Shows the list of a filter and waits until its first page is loaded. */
async function show({ reading = () => false, filter = '', to = null } = {}) {
  const query = { filter, range: { from: '2026-11-14T00:00:00Z', to, text: '24h' }, sort: { by: 'time', ascending: false } }
  let list
  page = mount(() => (list = useRequestList(query, true, reading)))
  await settle()
  return { get: () => list.list.value, shown: () => names(list.list.value.rows), act: () => list, query }
}

const push = (rows, id) => opened.at(-1).emit('rows', JSON.stringify(rows), id)

beforeEach(() => { opened.length = 0; served = []; waiting = undefined })
afterEach(async () => { page?.unmount(); page = undefined; await settle() })

test('older pages follow the newer ones until the end', async () => {
  stored = upTo(250)
  const list = await show()
  assert.equal(list.get().rows.length, 100)
  for (const want of [200, 250]) {
    assert.equal(list.get().reachedEnd, false)
    list.act().loadOlder()
    await settle()
    assert.equal(list.get().rows.length, want)
  }
  assert.equal(list.get().reachedEnd, true)
  assert.deepEqual(list.get().rows.map((r) => r.id), upTo(250).map((r) => r.id).reverse())
})

test('live requests appear on top, newest first', async () => {
  stored = upTo(3)
  const list = await show()
  opened[0].emit('start', '', 'e1')
  await settle()
  assert.equal(liveState.value, 'live')
  push(upTo(6, 5), 'e2')
  push(upTo(4, 4), 'e3')
  assert.equal(list.shown(), '6 5 4 3 2 1')
  assert.equal(list.get().liveCount, 3)
})

test('live requests wait while the user reads', async () => {
  stored = upTo(3)
  let reading = true
  const list = await show({ reading: () => reading })
  opened[0].emit('start', '', 'e1')
  await settle()
  push(upTo(5, 4), 'e2')
  assert.equal(list.shown(), '3 2 1')
  assert.equal(names(list.get().pending), '5 4')
  reading = false
  list.act().showPending()
  assert.equal(list.shown(), '5 4 3 2 1')
  assert.equal(list.get().pending.length, 0)
})

test('requests that were missed are loaded before live ones are shown', async () => {
  stored = upTo(3)
  const list = await show()
  let release
  waiting = new Promise((r) => (release = r))
  stored = upTo(6)
  opened[0].emit('start', '', 'e1')
  push(upTo(7, 7), 'e2')
  await settle()
  assert.equal(list.shown(), '3 2 1', 'request 7 without 4 to 6 would be a gap')
  release()
  await settle()
  assert.equal(list.shown(), '7 6 5 4 3 2 1')
})

test('a gap that is too long keeps live requests pending, and showing them loads the list', async () => {
  stored = upTo(3)
  const list = await show({ reading: () => true })
  stored = upTo(500)
  opened[0].emit('start', '', 'e1')
  await settle()
  assert.equal(list.get().hasGap, true)
  assert.equal(list.shown(), '3 2 1')
  list.act().showPending()
  await settle()
  assert.equal(list.get().hasGap, false)
  assert.deepEqual([list.get().rows.length, list.get().rows[0].id], [100, 'id0500'])
})

test('an event that another tab did not receive makes the list look for missed requests', async () => {
  stored = upTo(3)
  const list = await show()
  opened[0].emit('start', '', 'e1')
  await settle()
  stored = upTo(5)
  opened[0].emit('gap', '', 'e2')
  await settle()
  assert.equal(list.shown(), '5 4 3 2 1')
})

test('a range that has ended is not followed', async () => {
  stored = upTo(3)
  await show({ to: '2026-11-15T00:00:00Z' })
  assert.equal(opened.length, 0)
})

test('a lost connection is shown, and leaving the page closes it', async () => {
  stored = upTo(1)
  await show()
  opened[0].emit('start', '', 'e1')
  opened[0].fail(FakeEventSource.CONNECTING)
  assert.equal(liveState.value, 'lost')
  page.unmount()
  page = undefined
  await settle()
  assert.equal(liveState.value, 'off')
  assert.equal(opened[0].readyState, FakeEventSource.CLOSED)
})

test('a failed load keeps the rows and is repeated after five seconds', async () => {
  stored = upTo(150)
  const list = await show()
  mock.timers.enable({ apis: ['setTimeout'] })
  stored = new Error('offline')
  list.act().loadOlder()
  await settle()
  assert.equal(list.get().error.isTransient, true)
  assert.equal(list.get().rows.length, 100)
  stored = upTo(150)
  mock.timers.tick(4_999)
  await settle()
  assert.equal(list.get().rows.length, 100)
  mock.timers.tick(1)
  await settle()
  assert.equal(list.get().rows.length, 150)
  assert.equal(list.get().error, undefined)
  mock.timers.reset()
})

for (const [what, late] of [['response', upTo(9)], ['error', new Error('offline')]]) {
  test(`a late ${what} of an earlier query changes nothing`, async () => {
    stored = upTo(3)
    const list = await show()
    let release
    const slow = (waiting = new Promise((r) => (release = r)))
    list.act().reload()
    waiting = undefined
    list.query.filter = 'model:a'
    stored = upTo(2)
    page.update()
    await settle()
    assert.equal(list.shown(), '2 1')
    stored = late
    release()
    await slow
    await settle()
    assert.equal(list.shown(), '2 1')
    assert.equal(list.get().error, undefined)
  })
}
