// A tab that does not lead receives the events of the leading tab over a channel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from './browser.mjs'

// Another tab holds the lead. This tab gets only the locks of its filters.
navigator.locks = {
  request: (name, options, run) => (options.mode === 'shared' ? Promise.resolve(run()) : new Promise(() => {})),
}
let channel
globalThis.BroadcastChannel = class { sent = []; constructor() { channel = this } postMessage(m) { this.sent.push(m) } }
const { followRequests, liveState } = await import('../src/live')

const deliver = (data) => channel.onmessage({ data })

/** Follows a filter and lists what the follower was told. */
function follow(filter) {
  const seen = []
  const stop = followRequests(filter, { start: () => seen.push('start'), rows: (rows) => seen.push(rows.join()), gap: () => seen.push('gap') })
  return { seen, stop }
}

test('a tab that missed an event looks for missed requests', async () => {
  const { seen, stop } = follow('a')
  assert.equal(liveState.value, 'connecting')
  assert.deepEqual(channel.sent.at(-1), { kind: 'filters-changed' }, 'the leader learns of the filter')
  deliver({ kind: 'start', filters: ['a'], from: '', id: 'e1' })
  assert.equal(liveState.value, 'live')
  deliver({ kind: 'rows', filter: 'a', text: '[1]', from: 'e1', id: 'e2' })
  deliver({ kind: 'rows', filter: 'b', text: '[2]', from: 'e2', id: 'e3' })
  assert.deepEqual(seen, ['start', '1'], 'without a missed event nothing is loaded again')
  deliver({ kind: 'rows', filter: 'a', text: '[5]', from: 'e4', id: 'e5' })
  assert.deepEqual(seen, ['start', '1', 'start', '5'])
  deliver({ kind: 'gap', from: 'e5', id: 'e6' })
  assert.equal(seen.at(-1), 'gap')
  stop()
  await settle()
  assert.equal(liveState.value, 'off')
  deliver({ kind: 'rows', filter: 'a', text: '[7]', from: 'e6', id: 'e7' })
  assert.equal(seen.at(-1), 'gap', 'a page that was left gets nothing')
})

test('a tab is live only when the connection has all its filters', () => {
  const a = follow('a'), b = follow('b')
  deliver({ kind: 'start', filters: ['a'], from: '', id: 'e1' })
  assert.equal(liveState.value, 'connecting')
  assert.deepEqual([a.seen, b.seen], [['start'], []])
  deliver({ kind: 'start', filters: ['a', 'b'], from: 'e1', id: 'e1' })
  assert.equal(liveState.value, 'live')
  assert.deepEqual([a.seen, b.seen], [['start'], ['start']])
  deliver({ kind: 'lost' })
  assert.equal(liveState.value, 'lost')
  a.stop()
  b.stop()
})
