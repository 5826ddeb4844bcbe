import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { close, eventually, everyState, open, scene, sound, text } from './lib.mjs'

everyState('impact', '/impact', {
  full: { options: {}, ready: async (page) => { await text(page, 'you saved'); await text(page, 'No request cost more than its default model'); await page.locator('.plot canvas').waitFor() } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No requests yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

/** Sums all rows, page by page. */
async function sums(page, filter) {
  const out = { requests: 0, routed: 0n, baseline: 0n, saved: 0n }
  for (let cursor = ''; ;) {
    const res = await page.request.get(scene.base + '/api/v1/requests', { params: { filter, cursor, limit: 200 } })
    const list = await res.json()
    for (const r of list.items) {
      out.requests++
      out.routed += BigInt(r.cost_nano_usd ?? 0)
      out.baseline += BigInt(r.baseline.cost_nano_usd ?? 0)
      out.saved += BigInt(r.saved_nano_usd ?? 0)
    }
    if (!list.next_cursor) return out
    cursor = list.next_cursor
  }
}

/** Parses the exact amount in a tooltip into nano-dollars. */
function nano(dollars) {
  const [whole, part = ''] = dollars.replace(/[$,]/g, '').split('.')
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, '0'))
}

const amounts = (page) => page.locator('.headline .money').evaluateAll((all) => all.map((el) => el.title))

test('Overview, Impact and Requests agree to the nano-dollar', async () => {
  for (const filter of ['', 'route:fallback', 'model:sandbox-small stream:true', '-model:sandbox-large', 'saved:>0']) {
    const page = await open('/?q=' + encodeURIComponent(filter))
    const want = await sums(page, filter)
    await page.locator('.headline').waitFor()
    assert.equal(Number(/^[\d,]+/.exec(await page.locator('.headline').innerText())[0].replace(',', '')), want.requests, filter)
    assert.deepEqual((await amounts(page)).map(nano), [want.routed, want.baseline, want.saved], filter)
    await page.goto(scene.base + '/impact?q=' + encodeURIComponent(filter))
    await page.locator('.headline').waitFor()
    assert.deepEqual((await amounts(page)).map(nano), [want.baseline, want.routed, want.saved], filter)
    const foot = await page.locator('.impact tfoot .money').evaluateAll((all) => all.map((el) => el.title))
    assert.deepEqual(foot.map(nano), [want.routed, want.baseline, want.saved], filter)
    await close(page)
  }
})

test('every group opens as many requests as it counts', async () => {
  for (const by of ['model', 'provider', 'key', 'day', 'route', 'requested_model', 'agent', 'protocol', 'session', 'user', 'tag', 'rule', 'endpoint', 'meta.team']) {
    const page = await open('/impact?q=-stream:true&by=' + by)
    await page.locator('.impact tbody tr').first().waitFor()
    const groups = await page.locator('.impact tbody tr').evaluateAll((all) => all.map((tr) => [tr.querySelector('a').search, Number(tr.cells[1].textContent.replace(',', ''))]))
    assert.notEqual(groups.length, 0)
    for (const [search, requests] of groups) {
      const asked = new URLSearchParams(search)
      const [from, to] = asked.get('range').split('..')
      const span = to ? { from, to } : {}
      const res = await page.request.get(scene.base + '/api/v1/impact', { params: { filter: asked.get('q'), ...span } })
      assert.equal((await res.json()).requests, requests, search)
    }
    await close(page)
  }
})

test('a group replaces a filter of the same field', async () => {
  const page = await open('/impact?q=' + encodeURIComponent('model:sandbox-small model:sandbox-medium'))
  const link = page.getByRole('link', { name: 'sandbox-medium', exact: true })
  assert.equal(new URLSearchParams((await link.getAttribute('href')).split('?')[1]).get('q'), 'model:sandbox-medium')
  await close(page)
})

test('extra cost is shown as such, with its model', async () => {
  const lost = { requests: 2, routed_nano_usd: 3000, baseline_nano_usd: 2000, saved_nano_usd: -1000, unpriced: 1 }
  const answer = { from: '2026-11-01T00:00:00Z', to: null, ...lost, groups: [{ group: '=evil <b>', ...lost }], step_seconds: 86400, series: [{ time: '2026-11-14T00:00:00Z', ...lost }] }
  const page = await open('/impact', { routes: { '**/api/v1/impact?**': answer } })
  await text(page, 'you paid $0.000001 more (50 %)')
  await text(page, '1 request without a known price is not included in the savings')
  await text(page, 'cost $0.000001 more')
  await text(page, 'extra with =evil <b>')
  await sound(page)
  await close(page)
})

test('the breakdown is in the URL, sortable and downloadable', async () => {
  const page = await open('/impact')
  await page.getByRole('navigation', { name: 'Break down by' }).getByRole('link', { name: 'Route' }).click()
  await page.waitForURL(/by=route/)
  await page.getByRole('button', { name: 'Saved' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=saved/)
  await page.reload()
  await page.locator('th[aria-sort=descending]').waitFor()
  const names = await page.locator('.impact td.group').allInnerTexts()
  assert.match(names[0], /Expected|Fallback/)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()])
  assert.equal(file.suggestedFilename(), 'impact-by-route.csv')
  assert.match(readFileSync(await file.path(), 'utf8'), /^route,name,requests,routed_nano_usd/)
  await page.getByText('How this is computed').click()
  await text(page, 'sandbox-large')
  await page.evaluate(() => scrollTo(0, 0)) // the top bar must not cover a button
  await sound(page)
  await close(page)
})

test('the table has the same values as the chart', async () => {
  const page = await open('/impact')
  await page.getByRole('button', { name: 'Show table' }).click()
  const last = await page.locator('.chart tbody tr').last().innerText()
  const [baseline, routed] = await page.locator('.headline .money').allInnerTexts()
  assert.ok(last.includes(baseline) && last.includes(routed), last)
  await sound(page)
  await close(page)
})

test('the chart shows the values under the pointer', async () => {
  const page = await open('/impact')
  await page.locator('.plot canvas').waitFor()
  const place = await page.locator('.plot .u-over').boundingBox()
  const said = page.locator('.chart figcaption > span').first()
  const before = await said.textContent()
  await page.mouse.move(place.x + place.width - 2, place.y + 40)
  await eventually(async () => /· With default model \$[\d.]+ · With routing \$[\d.]+$/.test(await said.textContent()), 'the values are shown')
  await page.mouse.move(place.x, place.y - 200)
  await eventually(async () => (await said.textContent()) === before, 'the summary is shown again')
  assert.deepEqual(page.complaints, [])
  await close(page)
})
