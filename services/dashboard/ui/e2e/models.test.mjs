import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, everyState, open, pressPair, scene, sound, tabTo, text } from './lib.mjs'

everyState('models', '/models', {
  full: { options: {}, ready: async (page) => { await text(page, 'sandbox-large'); await page.locator('.models td a[href^="/requests"]').first().waitFor() } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'sandbox-large') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('models-compared', '/models?compare=sandbox-small,claude-sonnet-4-5,gpt-5-nano,claude-opus-4-7', {
  full: { options: {}, ready: (page) => text(page, 'Compare 4 models') },
})

test('the use of a model opens its requests', async () => {
  const page = await open('/models?range=1h')
  const link = page.locator('tr', { hasText: 'sandbox-medium' }).locator('a[href^="/requests"]').first()
  const said = Number(await link.innerText())
  await link.click()
  await page.waitForURL(/q=model%3Asandbox-medium&range=1h/)
  await page.getByRole('grid').waitFor()
  assert.equal(await page.locator('.vbody .vrow').count(), said)
  await close(page)
})

test('by keyboard: models are found, sorted and compared, and the state is in the address', async () => {
  const page = await open('/models')
  await text(page, 'sandbox-large')
  await pressPair(page, 'g', 'm')
  await tabTo(page, 'Find models by name, alias, provider or capability')
  await page.keyboard.type('claude opus images')
  await text(page, 'No model matches')
  await page.getByRole('link', { name: 'Search the whole catalog' }).press('Enter')
  await text(page, 'claude-opus-4-7')
  await page.getByRole('button', { name: 'Input', exact: true }).press('Enter')
  for (const n of [0, 1]) await page.locator('.models input[type=checkbox]').nth(n).press('Space')
  await text(page, 'Compare 2 models')
  await page.reload()
  await text(page, 'Compare 2 models')
  assert.equal(await page.locator('th[aria-sort=ascending]').innerText(), 'Input ↑')
  await text(page, 'Prices per million tokens')
  await sound(page)
  await page.getByRole('link', { name: 'Close' }).press('Enter')
  assert.equal(await page.locator('.comparison').count(), 0)
  await close(page)
})

test('a model without a known price, and one that is not in the catalog, are named', async () => {
  const sums = { requests: 3, routed_nano_usd: 0, baseline_nano_usd: 0, saved_nano_usd: 0, unpriced: 2 }
  const page = await open('/models?compare=nobody-has-it', { routes: { '**/api/v1/impact?**': { from: '2026-11-01T00:00:00Z', to: null, ...sums, groups: [{ group: '<b>own', ...sums }], step_seconds: 86400, series: [] } } })
  await text(page, 'Seen, but without a known price')
  await text(page, '<b>own')
  await text(page, 'Not in the catalog: nobody-has-it')
  await sound(page)
  await close(page)
})
