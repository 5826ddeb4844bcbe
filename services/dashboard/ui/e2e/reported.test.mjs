// Faults that reviewers found. Each test failed before the fault was mended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, newcomer, open, readEditor, scene, sound, text, writeEditor } from './lib.mjs'

/** Drags over the right half of the chart. */
async function drag(page) {
  await page.locator('.plot canvas').waitFor()
  let box // null while the chart is drawn again
  await eventually(async () => (box = await page.locator('.plot .u-over').boundingBox()) !== null, 'the chart')
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.75, box.y + 20, { steps: 5 })
  await page.mouse.up()
}

test('a drag over the histogram sets the range, the address, the table and the totals', async () => {
  const page = await open('/requests')
  await page.locator('.vbody .vrow').first().waitFor()
  await drag(page)
  await page.waitForURL(/range=\d{4}-.*\.\./)
  const [from, to] = new URL(page.url()).searchParams.get('range').split('..')
  assert.equal((await api(scene.full, 'GET', `/impact?from=${from}&to=${to}`)).requests, 0, 'the scene has requests of the last minutes only')
  await text(page, 'No requests in this range')
  await page.goBack()
  await page.locator('.vbody .vrow').first().waitFor()
  await page.goto(scene.base + '/')
  await page.locator('.headline').waitFor()
  await drag(page)
  await page.waitForURL(/\/\?range=/)
  await text(page, 'No requests in this range')
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('a long cell is cut with an ellipsis and has a tooltip, only where there is no space, and covers nothing', async () => {
  for (const width of [390, 820, 1440, 1920]) {
    const page = await open('/docs', { width })
    await page.route('**/api/v1/requests?**', async (r) => {
      const res = await r.fetch()
      const list = await res.json()
      list.items.forEach((item, i) => Object.assign(item, { tokens: { ...item.tokens, input: 912_345, output: 12_345 } }, i % 2 ? { outcome: 'interrupted' } : { route: 'policy', outcome: 'ok', reason: { ...item.reason, rule: i % 4 ? 'legal-on-large' : 'a-rule-with-a-very-long-name-that-fits-nowhere' } }))
      await r.fulfill({ json: list })
    })
    await page.goto(scene.base + '/requests?q=-model:x') // with a filter, the page has no preloaded rows
    await text(page, 'Policy · legal-on-large')
    const faults = await page.locator('.chip').evaluateAll((all) => all.flatMap((chip) => {
      const label = chip.querySelector('.label'), box = chip.getBoundingClientRect(), cell = chip.parentElement.getBoundingClientRect()
      const cut = label.scrollWidth > label.clientWidth
      const found = []
      if (label.getBoundingClientRect().right > box.right + 1) found.push(`${label.textContent} leaves its chip`)
      if (box.right > cell.right + 1) found.push(`${label.textContent} is ${box.right - cell.right} px wider than its cell`)
      if (cut && getComputedStyle(label).textOverflow !== 'ellipsis') found.push(`${label.textContent} has no ellipsis`)
      if (cut && innerWidth >= 1440 && label.textContent.length < 26) found.push(`${label.textContent} is cut at ${innerWidth} px`)
      const time = chip.closest('.vrow, li, article, tr')?.querySelector('time')?.getBoundingClientRect()
      if (time && box.left < time.right && time.left < box.right && box.top < time.bottom && time.top < box.bottom) found.push(`${label.textContent} covers the time`)
      return found
    }))
    const cut = await page.locator('.vbody [role=gridcell]').evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).flatMap((cell) => {
      if (innerWidth >= 1440 && cell.classList.contains('of-tokens')) return [`${cell.textContent} is cut`]
      return getComputedStyle(cell).textOverflow === 'ellipsis' && cell.title ? [] : [`${cell.className} ${cell.textContent} has no ellipsis or no tooltip`]
    }))
    assert.deepEqual([...faults, ...cut], [], `${width} px`)
    await close(page)
  }
})

test('Escape leaves the filter box with the filter that is in force', async () => {
  const page = await open('/requests')
  const box = page.getByLabel('Filter', { exact: true })
  await box.fill('route:fallback')
  await box.press('Enter')
  await page.waitForURL(/q=route/)
  await box.press('Escape')
  assert.equal(await box.inputValue(), 'route:fallback')
  assert.notEqual(await page.evaluate(() => document.activeElement.id), 'q')
  await box.fill('route:fallback model:x')
  await box.press('Escape')
  // An open list of suggestions takes the first Escape.
  if (await box.evaluate((field) => field === document.activeElement)) await box.press('Escape')
  assert.equal(await box.inputValue(), 'route:fallback', 'what was not applied is dropped')
  await close(page)
})

test('the y axis of a low chart has a label beside the 0, for any height of the bars', async () => {
  let requests = 1
  const histogram = async (r) => {
    const to = new Date()
    const bucket = { time: new Date(Math.floor(to / 3600_000) * 3600_000).toISOString(), expected: requests, fallback: 0, policy: 0, error: 0 }
    await r.request().frame().evaluate(() => (window.drawnTexts = [])) // only the labels of this response count
    await r.fulfill({ json: { from: new Date(to - 86_400_000).toISOString(), to: to.toISOString(), step_seconds: 3600, buckets: [bucket] } })
  }
  const page = await open('/requests', { routes: { '**/api/v1/requests/histogram?**': histogram }, init: `window.drawnTexts = []; const draw = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.drawnTexts.push(text); return draw.call(this, text, ...rest) }` })
  for (const [count, range] of [[1], [7, 'Last hour'], [45, 'Last 6 hours'], [461, 'Last 7 days'], [999, 'Last 30 days'], [12_345, 'Last 15 minutes']]) {
    requests = count
    if (range) {
      await page.getByRole('button', { name: /^Range/ }).click()
      await page.getByRole('button', { name: range, exact: true }).click()
    }
    await page.locator('.plot canvas').waitFor()
    await text(page, new RegExp(`^${count.toLocaleString('en')} requests?\\b`))
    await eventually(async () => (await page.evaluate(() => window.drawnTexts)).some((t) => /^[1-9][\d,]*$/.test(t)), `${requests} requests have a label`)
  }
  await close(page)
})

test('a draft with known problems cannot be published', async () => {
  const page = await open('/policy')
  const before = await readEditor(page)
  await writeEditor(page, before + '\n# fine\n')
  const publish = page.getByRole('button', { name: 'Publish…' })
  await eventually(() => publish.isEnabled(), 'a draft without problems can be published')
  await writeEditor(page, before + '\nnonsense: 1\n')
  await eventually(() => publish.isDisabled(), 'the button is off')
  assert.match(await publish.getAttribute('title'), /Fix the problems first/)
  await writeEditor(page, before + '\n# fine\n')
  await eventually(() => publish.isEnabled(), 'the problems are fixed')
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await close(page)
})

test('on a phone the current page is marked inside its own link', async () => {
  const page = await open('/account', { width: 390 })
  const link = page.locator('.side a[aria-current=page]')
  await link.waitFor()
  const look = await link.evaluate((a) => ({ line: getComputedStyle(a).textDecorationLine, shadow: getComputedStyle(a).boxShadow }))
  assert.deepEqual(look, { line: 'underline', shadow: 'none' })
  await sound(page)
  await close(page)
})

test('without captured content, the panel still says why a request was rejected', async () => {
  const who = await newcomer()
  const res = await who.context.request.patch(scene.base + '/api/v1/account', { data: { capture: 'none' } })
  assert.ok(res.ok(), await res.text())
  const refused = await who.proxy({ model: 'auto', temperature: 'hot', messages: [{ role: 'user', content: 'hi' }] })
  assert.equal(refused.status(), 400)
  await who.recorded(1)
  const page = await who.tab('/requests/' + refused.headers()['x-request-id'])
  await text(page, 'Rejected before a model was called: temperature must be a number')
  assert.deepEqual(page.complaints, [])
  await who.context.close()
})

test('the overview calls the API once for each of its parts', async () => {
  const page = await open('/docs')
  const calls = []
  page.on('request', (r) => r.url().includes('/api/v1/') && calls.push(r.url()))
  await page.goto(scene.base + '/')
  await text(page, 'Top spend')
  await page.waitForLoadState('networkidle')
  const paths = calls.map((c) => new URL(c)).map((u) => u.pathname + u.search)
  assert.deepEqual(paths.filter((c, i) => paths.indexOf(c) !== i), [], 'no call is made twice')
  await close(page)
})
