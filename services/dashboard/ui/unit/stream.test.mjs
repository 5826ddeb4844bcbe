import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { FakeEventSource, opened } from './eventsource.mjs'
import { RequestStream } from '../src/stream'

let calls = []
globalThis.fetch = async (path) => (calls.push(path), jsonResponse({}))
beforeEach(() => { opened.length = 0; calls = [] })

/** Starts a stream that follows filters. It remembers the last id as the page does. */
async function startStream(...filters) {
  const published = []
  let last = ''
  const stream = new RequestStream((m) => { published.push(m); if (m.id) last = m.id }, () => last)
  await stream.follow(async () => filters)
  return { stream, published }
}

test('events reach the filter they belong to, with the id before them', async () => {
  const { published } = await startStream('', 'model:a')
  assert.equal(opened.length, 1)
  assert.equal(opened[0].url, '/api/v1/requests/stream?filter=&filter=model%3Aa')
  opened[0].emit('start', '', 'e1')
  opened[0].emit('rows', '[1]', 'e2')
  opened[0].emit('rows.1', '[2]', 'e3')
  opened[0].emit('gap', '', 'e4')
  assert.deepEqual(published, [
    { kind: 'start', filters: ['', 'model:a'], from: '', id: 'e1' },
    { kind: 'rows', filter: '', text: '[1]', from: 'e1', id: 'e2' },
    { kind: 'rows', filter: 'model:a', text: '[2]', from: 'e2', id: 'e3' },
    { kind: 'gap', filters: ['', 'model:a'], from: 'e3', id: 'e4' },
  ])
})

test('other filters open a new connection after the last event, and close the old one', async () => {
  const { stream, published } = await startStream('a')
  opened[0].emit('start', '', 'e1')
  await stream.follow(async () => ['a'])
  assert.equal(opened.length, 1, 'the same filters keep the connection')
  assert.equal(published.length, 2, 'a tab that begins to follow gets the start again')
  await stream.follow(async () => ['a', 'b'])
  assert.equal(opened[0].readyState, FakeEventSource.CLOSED)
  assert.equal(opened[1].url, '/api/v1/requests/stream?filter=a&filter=b&after=e1')
  await stream.follow(async () => [])
  assert.equal(opened[1].readyState, FakeEventSource.CLOSED)
  assert.equal(opened.length, 2, 'without filters there is no connection')
})

test('the number of filters of a connection is bounded', async () => {
  await startStream(...Array.from({ length: 25 }, (_, i) => `f${i}`))
  assert.equal(new URL(opened[0].url, location.href).searchParams.getAll('filter').length, 20)
})

test('a refused connection is opened again after growing delays of at most ten seconds', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { published } = await startStream('a')
  for (const delay of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
    const before = opened.length
    opened.at(-1).fail(FakeEventSource.CLOSED)
    mock.timers.tick(delay - 1)
    assert.equal(opened.length, before)
    mock.timers.tick(1)
    assert.equal(opened.length, before + 1, `after ${delay} ms`)
  }
  assert.deepEqual(published[0], { kind: 'lost' })
  assert.equal(calls[0], '/api/v1/session', 'an expired session leads to the sign-in page')
  opened.at(-1).emit('start', '', 'e1')
  opened.at(-1).fail(FakeEventSource.CLOSED)
  mock.timers.tick(500)
  assert.match(opened.at(-1).url, /after=e1$/, 'after a success the first delay is short again')
  mock.timers.reset()
})

test('the browser itself opens a broken connection again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { stream, published } = await startStream('a')
  opened[0].emit('start', '', 'e1')
  opened[0].fail(FakeEventSource.CONNECTING)
  mock.timers.tick(60_000)
  assert.equal(opened.length, 1)
  assert.deepEqual(published.at(-1), { kind: 'lost' })
  await stream.follow(async () => ['a'])
  assert.deepEqual(published.at(-1), { kind: 'lost' }, 'a lost connection is not reported as started')
  mock.timers.reset()
})

test('a closed stream opens no further connection', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { stream } = await startStream('a')
  opened[0].fail(FakeEventSource.CLOSED)
  stream.close()
  mock.timers.tick(60_000)
  await stream.follow(async () => ['b'])
  await settle()
  assert.equal(opened.length, 1)
  mock.timers.reset()
})
