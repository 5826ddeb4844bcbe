import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyState, open, text } from './lib.mjs'

/** Answers a call of the page's own as if nothing had ever happened. */
const instead = (path, json, then) => async (page) => {
  await page.route(`**/api/v1${path}`, (r) => r.fulfill({ json }))
  await page.reload()
  await text(page, then)
}

everyState('providers', '/providers', {
  full: { options: {}, ready: (page) => text(page, 'PROVIDER_OVERLOADED') },
  empty: { options: {}, ready: instead('/providers', { policy_version: 'p1', items: [] }, 'No provider') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('a failure opens a request in which it happened, a target its rows', async () => {
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
  await text(page, 'Fallback · try 2')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
