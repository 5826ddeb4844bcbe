import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, everyState, open, text } from './lib.mjs'

/** Mocks an API call of the page and waits for a text. */
const instead = (path, json, then) => async (page) => {
  await page.route(`**/api/v1${path}`, (r) => r.fulfill({ json }))
  await page.reload()
  await text(page, then)
}

everyState('providers', '/providers', {
  full: { options: {}, ready: (page) => text(page, 'PROVIDER_OVERLOADED') },
  empty: { options: {}, ready: instead('/providers', { policy_version: 'p1', items: [] }, 'No providers') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('an error links to a request that had it, a model to its requests', async () => {
  const page = await open('/')
  await page.locator('h1').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('link', { name: 'PROVIDER_OVERLOADED' }).click()
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}\?tab=timeline$/)
  await text(page, 'PROVIDER_OVERLOADED after')
  await page.goBack()
  await page.getByRole('link', { name: 'sandbox-medium' }).click()
  await page.waitForURL(/\/requests\?q=provider%3Asandbox\+model%3Asandbox-medium&range=24h$/)
  await text(page, 'Fallback · 2nd')
  assert.deepEqual(page.complaints, [])
  await close(page)
})
