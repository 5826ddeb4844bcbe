import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, everyState, open, pressPair, scene, sound, tabTo, text } from './lib.mjs'

everyState('spend', '/spend', {
  full: { options: {}, ready: async (page) => { await text(page, 'cost most'); await text(page, 'against budgets'); await page.locator('.plot canvas').waitFor() } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No requests yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

/** The requests that a link of the page opens. */
async function counted(page, href) {
  const asked = new URL(href, scene.base).searchParams
  const [from, to] = asked.get('range').split('..')
  const res = await page.request.get(scene.base + '/api/v1/impact', { params: { filter: asked.get('q') ?? '', ...(to ? { from, to } : {}) } })
  return (await res.json()).requests
}

/** Groups the table by another field, and waits until the page shows it. */
async function chooseGrouping(page, by, name) {
  const loaded = page.waitForResponse((r) => new URL(r.url()).pathname === '/api/v1/spend' && new URL(r.url()).searchParams.get('group_by') === by)
  await Promise.all([loaded, page.getByRole('navigation', { name: 'Group by' }).getByRole('link', { name, exact: true }).press('Enter')]) // a click could miss while the page moves
  await page.locator('.progress').first().waitFor({ state: 'detached' }) // until then, the page shows the previous groups
}

test('the numbers of every group open the requests that they count', async () => {
  const page = await open('/spend?q=-stream:true&by=meta.team')
  await page.locator('.spendtable tbody tr').first().waitFor()
  for (const [by, name] of [['meta.team'], ['key', 'Key'], ['model', 'Model'], ['provider', 'Provider'], ['tag', 'Tag'], ['user', 'User'], ['session', 'Session'], ['agent', 'Client']]) {
    if (name) await chooseGrouping(page, by, name)
    const rows = await page.locator('.spendtable tbody tr, .spendtable tfoot tr').evaluateAll((all) => all.map((tr) => ({ links: [1, 3].map((i) => tr.cells[i].querySelector('a').getAttribute('href')), requests: Number(tr.cells[3].textContent.replace(',', '')) })))
    assert.ok(rows.length > 1, by)
    for (const r of rows) for (const href of r.links) assert.equal(await counted(page, href), r.requests, href)
  }
  await close(page)
})

test('the table of the chart links each number to its requests', async () => {
  const page = await open('/spend?by=model&range=6h')
  await page.getByRole('button', { name: 'Show table' }).click()
  const links = await page.locator('.chart tbody td a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  assert.ok(links.length > 0)
  let sum = 0
  for (const href of links) sum += await counted(page, href)
  const rows = await api(scene.full, 'GET', '/impact?filter=' + encodeURIComponent('cost:>0') + '&from=' + new Date(Date.now() - 6 * 3600_000).toISOString())
  assert.ok(sum >= rows.requests, `${sum} of ${rows.requests} requests`)
  await sound(page)
  await close(page)
})

test('a name narrows the page, and the state is in the address', async () => {
  const page = await open('/spend')
  const first = page.locator('.spendtable tbody .group a').first()
  await first.click()
  await page.waitForURL(/q=key.*by=model/)
  await text(page, 'By model')
  await page.getByRole('button', { name: 'Requests', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=requests/)
  await page.reload()
  await page.locator('th[aria-sort=descending]', { hasText: 'Requests' }).waitFor()
  await page.goBack()
  await page.locator('.spendtable thead th', { hasText: 'Key' }).waitFor()
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('by keyboard: from sign-in to the requests of the key that spends most', async () => {
  const page = await open('/')
  await page.locator('.headline').waitFor()
  await pressPair(page, 'g', 'd')
  await text(page, 'cost most')
  const name = await page.locator('.headline a').nth(1).innerText()
  await tabTo(page, name)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/requests\?q=key/)
  await close(page)
})

test('the month is compared with the budgets', async () => {
  const none = { spent_nano_usd: 1_900_000_000, per_day_nano_usd: 100_000_000, days: 7, forecast_nano_usd: 2_400_000_000, budget_nano_usd: 2_000_000_000, reached_at: new Date(Date.now() + 86_400_000 * 3).toISOString() }
  const month = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z', account: none, keys: [{ id: 'k1', name: '<b>prod', ...none, spent_nano_usd: 3_000_000_000 }, { id: 'k2', name: 'spare', ...none, per_day_nano_usd: null, days: 0, forecast_nano_usd: null, budget_nano_usd: null, reached_at: null }] }
  const page = await open('/spend', { routes: { '**/api/v1/spend/forecast': month } })
  await text(page, 'November (UTC) has cost $1.90 so far.')
  await text(page, 'it will cost about $2.40')
  await text(page, 'The budget of $2.00 will be used up about')
  await text(page, '<b>prod')
  await text(page, 'used up now')
  await text(page, 'No budget')
  await sound(page)
  await close(page)
})

test('a drag over the chart sets the range of the page', async () => {
  const page = await open('/spend?range=24h')
  await page.locator('.plot canvas').waitFor()
  let box = null // the chart has no place while it is drawn again
  await eventually(async () => (box = await page.locator('.plot .u-over').boundingBox()), 'the chart is drawn')
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 5 })
  await page.mouse.up()
  await page.waitForURL(/range=\d{4}-.*\.\./)
  const [from, to] = new URL(page.url()).searchParams.get('range').split('..')
  assert.equal(Date.parse(from) % 3600_000, 0, 'it starts with a whole step')
  assert.ok(Date.parse(to) - Date.parse(from) < 14 * 3600_000)
  await eventually(async () => !(await page.getByRole('button', { name: 'Range: Last 24 hours' }).count()), 'the range button shows the range')
  assert.deepEqual(page.complaints, [])
  await close(page)
})
