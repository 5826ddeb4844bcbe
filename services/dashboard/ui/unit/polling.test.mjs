import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { usePolling } from '../src/polling'

test('data reloads every ten seconds while the tab is visible', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  let loads = 0
  const page = mount(() => usePolling(() => loads++))
  await settle()
  mock.timers.tick(9_999)
  assert.equal(loads, 0)
  mock.timers.tick(1)
  assert.equal(loads, 1)
  document.hidden = true
  mock.timers.tick(20_000)
  assert.equal(loads, 1, 'a hidden tab must not load')
  document.hidden = false
  mock.timers.tick(10_000)
  assert.equal(loads, 2)
  page.unmount()
  mock.timers.tick(60_000)
  assert.equal(loads, 2, 'a page that was left must not load')
  mock.timers.reset()
})

test('after the URL of the data has changed, the new one is reloaded', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  const loaded = []
  let url = '/a'
  const page = mount(() => { const now = url; usePolling(() => loaded.push(now)) })
  await settle()
  url = '/b'
  page.update()
  await settle()
  mock.timers.tick(10_000)
  assert.deepEqual(loaded, ['/b'])
  page.unmount()
  mock.timers.reset()
})
