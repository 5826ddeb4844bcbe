// Tests how figures, times and names are displayed, and that the keyboard reaches them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, open, pressPair, scene, sound, text, toast, urlOf } from './lib.mjs'

/** Opens the request list with mocked rows. Each row is a real request with some changes, newest first. */
async function listed(changes, options) {
  const page = await open('/keys', options)
  const real = await api(scene.full, 'GET', '/requests?filter=' + encodeURIComponent('model:sandbox-small') + '&limit=1')
  const items = changes.map((c, i) => ({ ...real.items[0], id: `0198c0de-0000-7000-8000-00000000000${i}`, ...c }))
  await page.route('**/api/v1/requests?**', (r) => r.fulfill({ json: { items, next_cursor: null } }))
  await pressPair(page, 'g', 'r')
  await page.locator('.vbody .vrow').nth(changes.length - 1).waitFor()
  return page
}

const costs = (routed, baseline) => ({ cost_nano_usd: routed, baseline: { model: 'sandbox-large', cost_nano_usd: baseline }, saved_nano_usd: baseline - routed })

/** Returns the texts of cells that are cut off. */
const cut = (page) => page.locator('.vlist [role=gridcell], .vlist [role=columnheader]').evaluateAll((all) => all.filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.textContent))

test('no cost loses a digit, and each row adds up as displayed', async () => {
  const page = await listed([
    costs(123, 1_000_456), costs(40, 90), costs(12_499, 99_501), costs(1_234_567_890_123, 2_345_678_901_234), costs(123_456_789_000_000_000, 123_456_789_000_000_000), costs(3000, 2000),
  ])
  assert.deepEqual(await cut(page), [])
  const rows = await page.locator('.vbody .vrow').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('.money')].map((el) => el.textContent)))
  assert.deepEqual(rows[0], ['$0.000000123', '$0.001000456', '$0.001000333'])
  assert.deepEqual(rows[2], ['$0.000012', '$0.000100', '$0.000088'], 'savings are the difference of the displayed amounts')
  assert.deepEqual(rows[3], ['$1,234.57', '$2,345.68', '$1,111.11'])
  assert.deepEqual(rows[4].slice(0, 2), ['$123.46M', '$123.46M'])
  assert.deepEqual(rows[5], ['$0.000003', '$0.000002', '−$0.000001'])
  const points = await page.locator('.vbody .vrow').evaluateAll((all) => all.slice(0, 3).map((row) => {
    const walk = document.createTreeWalker(row.querySelector('.money'), NodeFilter.SHOW_TEXT)
    while (!walk.nextNode().data.includes('.'));
    const range = document.createRange()
    range.setStart(walk.currentNode, walk.currentNode.data.indexOf('.'))
    return Math.round(range.getBoundingClientRect().left)
  }))
  assert.equal(points[0], points[2], 'decimal points line up')
  await close(page)
})

test('codes and names are not cut off at 1280 px, also beside an open request', async () => {
  const page = await listed([
    { model: null, provider: null, route: null, outcome: 'error', requested_model: 'sandbox-small', code: 'PROVIDER_UPSTREAM_ERROR', status: 502 },
    { requested_model: 'auto', model: 'sandbox-medium', provider: 'sandbox', route: 'fallback', attempts: [{}, {}] },
  ])
  assert.deepEqual(await cut(page), [])
  await page.keyboard.press('j')
  await page.locator('.dock').waitFor()
  assert.deepEqual(await cut(page), [])
  assert.ok(await page.getByRole('columnheader', { name: 'Saved' }).isVisible())
  const wide = await page.locator('.vlist').evaluate((el) => el.scrollWidth - el.clientWidth)
  assert.ok(wide <= 0, `the list is ${wide} px wider than its box`)
  await close(page)
})

test('a new day starts with its date, and the time zone is named', async () => {
  const page = await listed([{ time: '2026-11-03T00:00:00.5Z' }, { time: '2026-11-03T00:00:00Z' }, { time: '2026-11-02T23:59:59.999Z' }, { time: '2026-10-31T12:00:00Z' }])
  const lines = await page.locator('.vbody > *').evaluateAll((all) => all.map((el) => [el.getBoundingClientRect().top, el.className === 'vday' ? el.textContent : 'row']).sort((a, b) => a[0] - b[0]).map((l) => l[1].replace(' 2026', '')))
  assert.deepEqual(lines, ['Tue 3 Nov', 'row', 'row', 'Mon 2 Nov', 'row', 'Sat 31 Oct', 'row'])
  await page.getByRole('columnheader', { name: /^Time, / }).waitFor()
  await page.keyboard.press('u')
  await page.getByRole('columnheader', { name: 'Time, UTC' }).waitFor()
  await page.unroute('**/api/v1/requests?**')
  await sound(page)
  await close(page)
})

test('the three amounts of the headline add up as displayed', async () => {
  const page = await open('/keys')
  await page.route('**/api/v1/overview?**', async (r) => {
    const d = await (await r.fetch()).json()
    Object.assign(d.now, { routed_nano_usd: 1_425_400_000, baseline_nano_usd: 3_094_000_000, saved_nano_usd: 1_668_600_000, unpriced: 0 })
    await r.fulfill({ json: d })
  })
  await pressPair(page, 'g', 'o')
  await page.locator('.headline .money').nth(2).waitFor() // the sentence may show the overview without the amounts first
  const [routed, baseline, saved] = (await page.locator('.headline .money').allInnerTexts()).map((t) => BigInt(t.replace(/[$.]/g, '')))
  assert.equal(baseline - routed, saved)
  await close(page)
})

test('rejected requests do not lower the success rate', async () => {
  const page = await open('/')
  await text(page, 'Success rate')
  await page.getByText('Rejected', { exact: true }).waitFor()
  await text(page, 'last five minutes, all accounts')
  await close(page)
})

test('cumulative cost covers the whole range and grows when it was spent', async () => {
  const sums = { requests: 5000, routed_nano_usd: 1_000_000_000, baseline_nano_usd: 3_000_000_000, saved_nano_usd: 2_000_000_000, unpriced: 0 }
  const answer = { from: '2026-11-14T06:30:00Z', to: '2026-11-15T06:30:00Z', group_by: 'model', ...sums, groups: [{ group: '2026-11-14', ...sums }], step_seconds: 3600, series: [{ time: '2026-11-14T12:00:00Z', ...sums }] }
  const page = await open('/impact', { routes: { '**/api/v1/impact?**': answer } })
  await text(page, 'One step is 1 hour.')
  await page.getByRole('button', { name: 'Show table' }).click()
  const rows = await page.locator('.chart tbody tr').evaluateAll((all) => all.map((tr) => [...tr.cells].map((c) => c.textContent)))
  const at = rows.findIndex((r) => r[1] === '$3.00')
  assert.deepEqual(rows[at - 1].slice(1), ['$0.00', '$0.00'])
  assert.match(rows[at][0], /12:00$/)
  assert.match(rows[0][0], /06:30$/)
  assert.match(rows.at(-1)[0], /06:30$/)
  await page.getByRole('navigation', { name: 'Break down by' }).getByRole('link', { name: 'Day' }).click()
  await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor()
  await close(page)
})

test('closing a request returns the focus to its row', async () => {
  const page = await open('/requests')
  await page.locator('.vbody .vrow').nth(2).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.locator('.dock').waitFor({ state: 'detached' })
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid'), 'the list has the focus')
  const active = await page.getByRole('grid').getAttribute('aria-activedescendant')
  assert.equal(await page.locator('.vbody .vrow').nth(2).getAttribute('id'), active)
  await page.keyboard.press('Enter')
  await page.locator('.dock').waitFor()
  await sound(page)
  await close(page)
})

test('a range is chosen by keyboard alone in an accessible panel', async () => {
  const page = await open('/requests')
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('t')
  await page.getByRole('dialog', { name: /^Range/ }).waitFor()
  await sound(page)
  await page.getByRole('button', { name: 'Last hour' }).press('Enter')
  await page.waitForURL(/range=1h/)
  assert.equal(await page.getByRole('dialog', { name: /^Range/ }).count(), 0)
  await close(page)
})

test('each page has a title, and shortcuts copy its link and command', async () => {
  const page = await open('/requests')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await eventually(async () => (await page.title()) === 'Requests · Signalbox', 'the title')
  await pressPair(page, 'g', 'i')
  await eventually(async () => (await page.title()) === 'Impact · Signalbox', 'the title')
  await page.goto(`${scene.base}/requests/${scene.requests[0]}`)
  await text(page, 'responded in')
  assert.match(await page.title(), /^Request .*… · Signalbox|^Request .+ · Signalbox/)
  await page.keyboard.press('y')
  await toast(page, 'Link copied.')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), (await urlOf(page)).href)
  await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
  await page.keyboard.press('c')
  await toast(page, 'Command copied.')
  const command = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(command, /Bearer \$SIGNALBOX_KEY/)
  assert.match(command, /"messages"/)
  await close(page)
})

test('a copied command never has a truncated body', async () => {
  const page = await open(`/requests/${scene.requests[0]}`, { routes: { '**/api/v1/requests/*-*': async (r) => {
    const d = await (await r.fetch()).json()
    await r.fulfill({ json: { ...d, request: '{"model":"auto","mess', request_bytes: 90 } })
  } } })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await text(page, 'responded in')
  await page.getByRole('button', { name: 'curl' }).click()
  await toast(page, 'Command copied. It contains an example, because the content is not completely stored.')
  const command = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(JSON.parse(/-d '(.*)'$/.exec(command)[1]).messages.length, 1)
  await close(page)
})

test('the search dialog finds a key by its prefix', async () => {
  const page = await open('/')
  const key = (await api(scene.full, 'GET', '/keys')).items[0]
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type(key.prefix)
  await page.getByRole('option', { name: `Key ${key.name}` }).waitFor()
  await sound(page)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/keys/' + key.id)
  await close(page)
})

test('a decision shows the attempts of each candidate', async () => {
  const page = await open(`/requests/${scene.requests[2]}`)
  const line = page.getByRole('row').filter({ hasText: 'sandbox-small' })
  await line.getByText('PROVIDER_OVERLOADED').waitFor()
  await page.getByRole('row').filter({ hasText: 'sandbox-medium' }).getByText('Responded after').waitFor()
  await page.goto(`${scene.base}/requests/${scene.requests[5]}`)
  await text(page, 'The request ended before a routing decision')
  assert.equal(await page.getByText('Decided in').count(), 0)
  await close(page)
})

test('the default cost has a total, and reordering characters are escaped', async () => {
  const page = await open(`/requests/${scene.requests[0]}?tab=cost`)
  await page.getByRole('row').filter({ hasText: /^Cost with default model\$/ }).waitFor()
  assert.equal(await page.getByText('2000-01-01').count(), 0)
  await page.goto(`${scene.base}/requests/${scene.requests[3]}?tab=content`)
  await text(page, '[U+202E]evil[U+202C]')
  await close(page)
})

test('a permanent error has no retry button', async () => {
  const page = await open('/requests/0198c0de-0000-7000-8000-000000000000')
  await text(page, 'NOT_FOUND')
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  await close(page)
})

test('an unknown default model is rejected with a suggestion', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Default model').fill('sandbox-mediun')
  await eventually(async () => (await page.locator('#models option').count()) > 2, 'models are offered')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'Did you mean sandbox-medium?')
  assert.notEqual((await api(scene.empty, 'GET', '/account')).baseline_model, 'sandbox-mediun')
  await close(page)
})

test('snippets without a key read it from the environment', async () => {
  const page = await open('/start', { who: scene.empty })
  for (const [tool, words] of [['Python', 'os.environ["SIGNALBOX_KEY"]'], ['Node', 'process.env.SIGNALBOX_KEY'], ['Go', 'os.Getenv("SIGNALBOX_KEY")'], ['curl', 'Bearer $SIGNALBOX_KEY']]) {
    await page.getByRole('tab', { name: tool, exact: true }).click()
    await text(page, words)
  }
  await close(page)
})

test('an open request fits on a small phone', async () => {
  const page = await open(`/requests?sel=${scene.requests[2]}&tab=cost`, { width: 320, height: 640 })
  for (const tab of ['Cost', 'Timeline', 'Content', 'Raw']) {
    await page.getByRole('tab', { name: tab }).click()
    const wide = await page.locator('.dock').evaluate((el) => el.scrollWidth - el.clientWidth)
    assert.ok(wide <= 0, `${tab} is ${wide} px too wide`)
  }
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').evaluateAll((all) => all.filter((a) => a.getBoundingClientRect().right > innerWidth).length)
  assert.equal(links, 0)
  await close(page)
})

test('on a phone a button shows the other pages', async () => {
  const page = await open('/account', { width: 320, height: 640 })
  const nav = page.getByRole('navigation', { name: 'Pages', exact: true })
  assert.deepEqual(await nav.getByRole('link').allInnerTexts(), ['Overview', 'Requests', 'Sessions', 'Account'])
  await nav.getByRole('button', { name: 'More' }).press('Enter')
  await nav.getByRole('link', { name: 'Keys' }).waitFor()
  const hidden = await nav.getByRole('link').evaluateAll((all) => all.filter((a) => a.getBoundingClientRect().right > innerWidth || a.getBoundingClientRect().bottom > innerHeight).length)
  assert.equal(hidden, 0)
  await nav.getByRole('link', { name: 'Keys' }).click()
  await nav.getByRole('button', { name: 'More' }).waitFor()
  await close(page)
})

/** Opens a page on a phone, holds one of its responses until the others are shown, and returns how much the page moved. */
async function shiftOf(path, slow, ready) {
  const page = await open('/keys', { width: 412, height: 823 })
  let release
  const released = new Promise((resolve) => { release = resolve })
  await page.route(slow, async (r) => { await released; await r.fallback() })
  await page.goto(scene.base + path)
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))))
  release()
  await text(page, ready)
  const shift = await page.evaluate(() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().reduce((sum, e) => sum + e.value, 0))).observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => done(0))) // no entry: nothing moved
  }))
  await close(page)
  return shift
}

test('pages do not move when a slow response arrives', async () => {
  for (const [path, slow, ready] of [['/providers', '**/api/v1/attempts**', 'Select an error'], ['/providers', '**/api/v1/policy', 'Set the variable']]) {
    const shift = await shiftOf(path, slow, ready)
    assert.ok(shift < 0.05, `${path} moved by ${shift} when ${slow} arrived`)
  }
})
