import { mount } from './mount.mjs'
import { settle } from './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useAnchor } from '../src/components/section'
import { navigate } from '../src/router'

test('an anchor opens its section, also while the page is already open', async () => {
  let shown = 0, focused = 0
  const section = { current: { scrollIntoView: () => shown++, querySelector: () => ({ focus: () => focused++ }) } }
  navigate('/account')
  const page = mount(() => useAnchor('limits', section))
  await settle()
  assert.equal(shown, 0)
  navigate('/account#limits')
  await settle()
  assert.deepEqual([shown, focused], [1, 1])
  navigate('/account#limits')
  await settle()
  assert.equal(shown, 2, 'the same anchor again')
  page.update()
  navigate('/account#other')
  await settle()
  assert.equal(shown, 2)
  page.unmount()
})
