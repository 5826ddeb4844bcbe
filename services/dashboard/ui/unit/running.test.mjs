// Requests in progress: their rows, their running time, and how they end.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { opened } from './eventsource.mjs'
import { mount } from './mount.mjs'
import { graceMs, updateRunning, withRunning } from '../src/pages/requests/running'
import { useRequestList } from '../src/pages/requests/requestlist'

const time = (n) => new Date(Date.UTC(2026, 10, 14) + n * 1000).toISOString()
const reported = (n, elapsed_us = 1e6) => ({ id: `id${n}`, time: time(n), key_id: 'k', key_name: 'k', requested_model: 'auto', model: 'small', provider: 'p', elapsed_us })
const finished = (n) => ({ id: `id${n}`, time: time(n), outcome: 'ok', latency_us: 9e6 })
const shape = (rows) => rows.map((r) => `${r.id.slice(2)}${r.outcome === 'running' ? ` ${r.latency_us / 1e6}s` : ''}`).join(', ')

test('a running time never falls, and rows of lost reports disappear', () => {
  let rows = updateRunning([], [reported(1, 3e6)], 0, false)
  rows = updateRunning(rows, [reported(1, 2e6), reported(2)], 1000, false)
  assert.equal(shape(withRunning(rows, [], [])), '2 1s, 1 3s')
  rows = updateRunning(rows, [reported(2, 2e6)], 2000, false)
  assert.equal(shape(withRunning(rows, [], [])), '2 2s, 1 3s', 'its finished request may still be on its way')
  rows = updateRunning(rows, [], 1000 + graceMs, false)
  assert.equal(shape(withRunning(rows, [], [])), '2 2s')
  assert.deepEqual(updateRunning(rows, [], 2000 + graceMs, false), [])
})

test('a finished request takes the place of its row, once, also while others are pending', () => {
  const rows = updateRunning([], [reported(2)], 0, false)
  assert.equal(shape(withRunning(rows, [finished(3), finished(1)], [])), '3, 2 1s, 1')
  assert.equal(shape(withRunning(rows, [finished(1)], [finished(3), finished(2)])), '2, 1', 'in place, and 3 stays pending')
  assert.equal(shape(withRunning(rows, [finished(3), finished(2), finished(1)], [])), '3, 2, 1')
})

test('no new row moves the list while the user reads', () => {
  const rows = updateRunning([], [reported(1)], 0, false)
  assert.equal(shape(withRunning(updateRunning(rows, [reported(1, 2e6), reported(2)], 1000, true), [], [])), '1 2s')
})

let page
globalThis.fetch = async () => jsonResponse({ items: [finished(1)], next_cursor: null })
beforeEach(() => { opened.length = 0 })
afterEach(async () => { page?.unmount(); mock.timers.reset(); await settle() })

test('the list shows the events of the stream, and nothing stays after the last one', async () => {
  const query = { filter: '', range: { from: time(0), to: null, text: '24h' }, sort: { by: 'time', ascending: false } }
  let list
  page = mount(() => (list = useRequestList(query, true, () => false)))
  await settle()
  opened[0].emit('start', '', 'e1')
  await settle()
  const shown = () => shape(withRunning(list.list.value.running, list.list.value.rows, list.list.value.pending))
  opened[0].emit('running', JSON.stringify([reported(3), reported(2)]))
  assert.equal(shown(), '3 1s, 2 1s, 1')
  opened[0].emit('rows', JSON.stringify([finished(2)]), 'e2')
  assert.equal(shown(), '3 1s, 2, 1')
  mock.timers.enable({ apis: ['setTimeout'] })
  opened[0].emit('running', JSON.stringify([reported(3, 2e6)]))
  assert.equal(shown(), '3 2s, 2, 1')
  const now = performance.now.bind(performance)
  performance.now = () => now() + graceMs
  mock.timers.tick(graceMs)
  performance.now = now
  assert.equal(shown(), '2, 1', 'the connection or the proxy is gone')
})
