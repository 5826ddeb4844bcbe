import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, everyState, open, pressPair, scene, sound, text } from './lib.mjs'

everyState('overview', '/', {
  full: { options: {}, ready: async (page) => { await text(page, 'you saved'); await text(page, 'PROVIDER_UPSTREAM_ERROR'); await text(page, 'Top spend'); await page.locator('.toplists li').first().waitFor(); await page.locator('.plot canvas').waitFor() } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No requests yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('an empty account is led to its first request', async () => {
  const page = await open('/', { who: scene.empty })
  assert.equal(await page.getByRole('link', { name: 'Get started' }).getAttribute('href'), '/start')
  assert.equal(await page.getByRole('heading', { name: 'Providers' }).count(), 0, 'only operators see them')
  await close(page)
})

test('a figure opens its requests by keyboard alone', async () => {
  const page = await open('/requests')
  await page.getByRole('grid').waitFor()
  await pressPair(page, 'g', 'o')
  await text(page, 'Success rate')
  await page.locator('.strip > div', { hasText: 'Served by fallback' }).getByRole('link').focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/requests\?q=route%3Afallback\+-outcome%3Aerror\+-outcome%3Ainterrupted\+-outcome%3Aaborted$/)
  await text(page, 'Fallback · 2nd')
  assert.equal(await page.getByText('Expected', { exact: true }).and(page.locator('.chip')).count(), 0)
  await close(page)
})

test('an attention item opens as many requests as it counts', async () => {
  const page = await open('/?range=1h')
  const line = page.getByRole('listitem').filter({ hasText: 'MODEL_NOT_FOUND' })
  const said = Number(/: (\d+) request/.exec(await line.innerText())[1])
  await line.getByRole('link', { name: 'View requests' }).click()
  await page.waitForURL(/q=code%3AMODEL_NOT_FOUND&range=1h/)
  await page.getByRole('grid').waitFor()
  assert.equal(await page.locator('.vbody .vrow').count(), said)
  await close(page)
})

test('a nearly used budget is listed, and invisible characters in its name are escaped', async () => {
  const page = await open('/', { routes: { '**/api/v1/limits': async (r) => {
    const all = await (await r.fetch()).json()
    const near = all.keys.find((k) => k.state === 'active')
    Object.assign(near, { name: 'near\u202egpj', limits: { ...near.limits, nano_usd_per_day: 1000, nano_usd_per_month: 9e15 } })
    near.spent.day.nano_usd = 870
    all.account.limits.nano_usd_per_month = 1
    await r.fulfill({ json: all })
  } } })
  await text(page, /Key near\[U\+202E\]gpj has spent \$0.00000087 today, 87.% of its \$0.000001 daily limit/)
  await text(page, /The account has spent \$[\d.]+ this month, more than its \$[\d.]+ monthly limit/)
  assert.equal(await page.locator('.matters li.policy').count(), 2)
  await sound(page)
  await close(page)
})

test('a filter applies to the page, can be removed, and is validated', async () => {
  const page = await open('/?q=route:fallback')
  await text(page, 'you saved')
  await page.getByRole('button', { name: 'Remove route:fallback' }).waitFor()
  assert.match(await page.locator('.headline a').first().getAttribute('href'), /q=route%3Afallback/)
  await page.goto(scene.base + '/?q=modle:x')
  await text(page, 'unknown field')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await sound(page)
  await close(page)
})

test('the top lists open the requests and the spend of what costs most', async () => {
  const page = await open('/?range=1h')
  await page.locator('.toplists li').first().waitFor()
  const top = await api(scene.full, 'GET', '/spend/top')
  const models = page.locator('.toplists > div', { hasText: 'Models' })
  assert.deepEqual(await models.locator('li a').allInnerTexts(), top.models.map((g) => g.group))
  assert.equal(new URL(await models.locator('li a').first().getAttribute('href'), scene.base).searchParams.get('q'), 'model:' + top.models[0].group)
  assert.equal(await models.locator('h3 a').getAttribute('href'), '/spend?by=model&range=1h')
  await close(page)
})
