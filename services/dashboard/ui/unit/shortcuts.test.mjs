import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { useShortcuts } from '../src/shortcuts'

/** Presses a key at this time in milliseconds. */
function press(key, at) {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key })
  Object.defineProperty(event, 'timeStamp', { value: at })
  document.dispatchEvent(event)
}

test('two keys within a second are a sequence, however late the page handles them', async () => {
  let runs = 0
  const page = mount(() => useShortcuts([{ key: 'g r', description: '', run: () => runs++ }]))
  await settle()
  let now = 0
  mock.method(performance, 'now', () => (now += 3000)) // the page pauses between the keys
  press('g', 10_000)
  press('r', 10_900)
  assert.equal(runs, 1)
  press('g', 20_000)
  press('r', 21_000)
  assert.equal(runs, 1, 'a second is too long')
  mock.restoreAll()
  page.unmount()
})
