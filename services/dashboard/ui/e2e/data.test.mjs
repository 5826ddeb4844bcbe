import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, eventually, newcomer, open, pressPair, scene, sound, text, toast, urlOf } from './lib.mjs'

const slowly = (page, ms) => page.route('**/api/v1/**', async (r) => {
  await new Promise((done) => setTimeout(done, ms))
  await r.continue().catch(() => {}) // the page was closed meanwhile
})

test('leaving a page while it loads causes no error', async () => {
  const page = await open('/keys')
  await slowly(page, 200)
  await page.locator('h1').waitFor()
  for (const key of 'ikioio') await pressPair(page, 'g', key)
  await pressPair(page, 'g', 'i')
  await text(page, 'The default model would have cost')
  await page.goBack()
  await page.goForward()
  await text(page, 'The default model would have cost')
  assert.equal(await page.locator('.errorbox').count(), 0)
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('a page that fails to render shows an error, and other pages work', async () => {
  const page = await open('/keys')
  await page.route('**/api/v1/impact?*', (r) => r.fulfill({ json: { requests: 1 } }))
  await page.getByRole('link', { name: 'Impact' }).click()
  await text(page, 'This page cannot be shown because of a bug')
  await sound(page)
  await page.unroute('**/api/v1/impact?*')
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Impact' }).click()
  await text(page, 'The default model would have cost')
  await close(page)
})

test('figures stay while the server is unreachable and reload when it is back', async () => {
  const page = await open('/')
  await text(page, 'you saved')
  await page.route('**/api/v1/**', (r) => r.abort())
  await page.getByRole('button', { name: /^Range/ }).click()
  await page.getByText('Last hour', { exact: true }).click()
  await text(page, 'Cannot reach the server')
  await text(page, 'and may be out of date')
  assert.equal(await page.getByText('you saved').count(), 1)
  await page.unroute('**/api/v1/**')
  await page.locator('.errorbox').first().waitFor({ state: 'detached' })
  await text(page, 'you saved')
  await close(page)
})

test('the histogram reserves its space, follows live requests and reports errors', async () => {
  const me = await newcomer()
  await me.send()
  await me.recorded(1)
  let go
  const gate = new Promise((r) => (go = r))
  await me.context.route('**/requests/histogram?*', async (r) => {
    await gate
    await r.continue()
  })
  const page = await me.tab('/requests')
  await page.getByRole('grid').waitFor()
  const top = async () => Math.round((await page.getByRole('grid').boundingBox()).y)
  const before = await top()
  go()
  await page.locator('.plot canvas').waitFor()
  assert.equal(await top(), before)
  await text(page, /^1 request\b/)
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  await me.send(2)
  await text(page, /^3 requests\b/)
  await me.context.unroute('**/requests/histogram?*')
  await me.context.route('**/requests/histogram?*', (r) => r.fulfill({ status: 503, json: { error: 'no histogram now', code: 'STORE_UNAVAILABLE', details: {} } }))
  await me.send()
  await text(page, 'The chart is out of date')
  assert.equal(await page.locator('.plot canvas').count(), 1)
  await me.context.close()
})

test('a wrong filter is not followed, and the fix changes only the wrong term', async () => {
  const page = await open('/keys')
  const streams = []
  page.on('request', (r) => r.url().includes('/requests/stream') && streams.push(r.url()))
  await page.goto(scene.base + '/requests?q=' + encodeURIComponent('"stat" stat:200'))
  await text(page, 'unknown field')
  await text(page, 'Not live')
  assert.deepEqual(streams, [])
  await page.getByRole('button', { name: 'Use status' }).click()
  await eventually(() => new URL(page.url()).searchParams.get('q') === '"stat" status:200', 'the second term is fixed')
  await eventually(() => streams.length > 0, 'it is followed')
  await close(page)
})

test('invalid URL parameters are reported and removed', async () => {
  for (const range of ['bogus', '-1h', '0m', '2026-11-02..2026-11-01']) {
    const page = await open('/requests?range=' + range)
    await toast(page, `“${range}” is not a valid time range`)
    await text(page, 'Last 24 hours')
    assert.equal((await urlOf(page)).searchParams.get('range'), null)
    await close(page)
  }
  const page = await open('/requests?cols=time,foo')
  await toast(page, 'Unknown column: foo')
  assert.equal((await urlOf(page)).searchParams.get('cols'), 'time')
  await close(page)
})

test('errors are counted beyond one page', async () => {
  const me = await newcomer()
  await me.send(230)
  await me.recorded(230)
  const page = await me.tab('/')
  await text(page, 'MODEL_NOT_FOUND: 230 requests')
  await me.context.close()
})
