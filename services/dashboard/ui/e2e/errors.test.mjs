import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, everyState, open, pressPair, scene, text } from './lib.mjs'

everyState('errors', '/errors', {
  full: { options: {}, ready: (page) => text(page, 'failed or were rejected') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No errors in this range') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('by keyboard: every number of the causes opens the requests that it counts', async () => {
  const page = await open('/')
  await page.locator('.headline').waitFor()
  await pressPair(page, 'g', 'x')
  await text(page, 'asked for no-such-model, which does not exist or has no provider')
  const links = await page.locator('.causes .told a, .codes a').evaluateAll((all) => all.map((a) => ({ href: a.getAttribute('href'), count: parseInt(a.textContent.replace(/,|^[A-Z_]+ /g, ''), 10) })))
  assert.ok(links.length >= 4)
  for (const { href, count } of links) {
    const res = await page.request.get(scene.base + '/api/v1/requests', { params: { filter: new URL(href, scene.base).searchParams.get('q'), from: new Date(Date.now() - 86_400_000).toISOString(), limit: 200 } })
    assert.equal((await res.json()).items.length, count, href)
  }
  await page.locator('.causes .button', { hasText: 'View models' }).first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/models$/)
  await text(page, 'sandbox-large')
  assert.deepEqual(page.complaints, [])
  await close(page)
})
