import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, newcomer, scene, text, toast } from './lib.mjs'

/** The number of requests in the list, visible or not. */
const length = (page) => page.evaluate(() => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') ?? 1) - 1)
const has = (page, count) => eventually(async () => (await length(page)) === count, `the list has ${count} rows`)
const live = (page) => page.getByRole('button', { name: 'Live', exact: true }).waitFor()

/** Opens the list once it has this many requests, and waits until it shows them. */
async function opened(me, count) {
  await me.recorded(count)
  const page = await me.tab('/requests')
  await live(page)
  await page.locator('.vbody .vrow').first().waitFor()
  return page
}

/** Counts the open streams of a browser. */
function streams(context) {
  const open = new Map()
  context.on('request', (r) => r.url().includes('/requests/stream') && open.set(r, r.frame().page()))
  for (const end of ['requestfinished', 'requestfailed']) context.on(end, (r) => open.delete(r))
  return () => [...open.values()].filter((page) => !page.isClosed()).length
}

const hide = (page, hidden) => page.evaluate((h) => {
  Object.defineProperty(document, 'hidden', { get: () => h, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}, hidden)

test('eight tabs share one connection, which is handed over without loss', async () => {
  const me = await newcomer()
  const open = streams(me.context)
  await me.send(1, 'asked-by-all')
  const tabs = []
  for (let i = 0; i < 8; i++) {
    tabs.push(await me.tab(i % 2 ? `/requests?q=requested_model:asked-by-${i}` : '/requests'))
    await text(tabs.at(-1), i % 2 ? 'No matching requests' : 'asked-by-all')
  }
  for (const tab of tabs) await live(tab)
  await eventually(() => open() === 1, 'there is one stream')
  await me.send(1, 'asked-by-3')
  await has(tabs[0], 2)
  await has(tabs[3], 1)
  await has(tabs[6], 2)
  assert.equal(await length(tabs[5]), 0)
  for (let gone = 0; gone < 4; gone++) {
    await Promise.all([me.send(3, 'asked-by-7'), tabs[gone].close()])
  }
  await me.send(1, 'asked-by-7')
  await has(tabs[7], 13)
  await has(tabs[6], 15)
  await eventually(() => open() === 1, 'there is one stream')
  await me.context.close()
})

test('a hidden tab closes its connection and misses nothing', async () => {
  const me = await newcomer()
  const open = streams(me.context)
  await me.send()
  const page = await me.tab('/requests')
  await live(page)
  await hide(page, true)
  await eventually(() => open() === 0, 'the stream is closed')
  await me.send(2)
  await hide(page, false)
  await has(page, 3)
  await me.context.close()
})

test('a browser without locks has a stream in each tab', async () => {
  const me = await newcomer()
  await me.context.addInitScript(() => delete Navigator.prototype.locks)
  await me.send()
  const tabs = [await me.tab('/requests'), await me.tab('/requests')]
  for (const tab of tabs) await live(tab)
  await me.send()
  for (const tab of tabs) await has(tab, 2)
  await me.context.close()
})

test('requests that were pending while the user read are shown with later ones', async () => {
  const me = await newcomer()
  await me.send()
  const page = await opened(me, 1)
  await page.keyboard.press('j')
  await page.getByRole('tab', { name: 'Timeline' }).waitFor()
  await me.send(3)
  await text(page, '3 new requests')
  assert.equal(await length(page), 1)
  await page.keyboard.press('Escape')
  await me.send(2)
  await has(page, 6)
  assert.equal(await page.getByText(/new requests? ↑/).count(), 0)
  await me.context.close()
})

test('requests that arrived during a pause appear without a gap', async () => {
  const me = await newcomer()
  await me.send(2)
  const page = await opened(me, 2)
  await page.keyboard.press('l')
  await text(page, 'Paused')
  await me.send(220)
  await page.keyboard.press('l')
  await has(page, 222)
  await page.keyboard.press('l')
  await text(page, 'Paused')
  await me.send(330, 'after-long')
  // A user who scrolls is reading, so new requests stay pending.
  await me.recorded(552)
  await page.keyboard.press('l')
  await live(page)
  // So many that the list reloads, and loads more as the user scrolls.
  await text(page, 'after-long')
  await eventually(async () => {
    await page.locator('[role=grid]').evaluate((el) => el.scrollTo(0, el.scrollHeight))
    return (await length(page)) === 552
  }, 'all rows are reached')
  await me.context.close()
})

test('new requests appear at the top, and the selected row stays visible', async () => {
  const me = await newcomer()
  await me.send(60)
  const page = await opened(me, 60)
  const seen = () => page.evaluate(() => {
    const box = document.querySelector('[role=grid]').getBoundingClientRect()
    const row = document.querySelector('[role=row][aria-selected=true]')?.getBoundingClientRect()
    return row !== undefined && row.top >= box.top && row.bottom <= box.bottom
  })
  for (let i = 0; i < 40; i++) await page.keyboard.press('j')
  await eventually(seen, 'the selected row is visible')
  const top = () => page.locator('[role=grid]').evaluate((el) => el.scrollTop)
  assert.ok((await top()) > 0)
  await page.keyboard.press('Escape')
  await me.send(2, 'newest')
  await page.getByRole('button', { name: '2 new requests' }).click()
  await text(page, 'newest')
  assert.equal(await top(), 0)
  await me.context.close()
})

test('closing a request adds no history entry', async () => {
  const me = await newcomer()
  await me.send()
  const page = await me.tab('/keys')
  await page.getByRole('link', { name: 'Requests' }).click()
  await text(page, 'nobody-has-it')
  const before = await page.evaluate(() => history.length)
  await page.keyboard.press('j')
  await page.waitForURL(/sel=/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => !url.search.includes('sel='))
  assert.equal(await page.evaluate(() => history.length), before + 1)
  await me.context.close()
})

test('after signing out elsewhere every tab goes to the sign-in page', async () => {
  const me = await newcomer()
  await me.send()
  const tabs = [await me.tab('/requests'), await me.tab('/requests?q=route:fallback')]
  for (const tab of tabs) await live(tab)
  await me.post('/api/v1/logout')
  for (const tab of tabs) await tab.waitForURL(/\/login\?next=%2Frequests/)
  await me.context.close()
})

test('requests of other keys are not announced as the user\'s own', async () => {
  const me = await newcomer()
  await me.send()
  const page = await me.tab('/start')
  const list = await me.tab('/requests')
  await text(page, 'View decision')
  await page.getByRole('button', { name: 'Create key' }).click()
  await text(page, 'Waiting for your first request with this key')
  await live(list)
  await me.send()
  await has(list, 2)
  assert.equal(await page.locator('.arrived').count(), 0)
  await page.getByRole('button', { name: 'Send this request from the browser' }).click()
  await page.locator('.arrived.fresh').waitFor()
  await toast(page, 'Your request arrived')
  await me.context.close()
})

/** Sends a request without a response. The returned function disconnects. */
function hangingRequest(me) {
  const client = new AbortController()
  const response = fetch(scene.base + '/proxy/v1/chat/completions', {
    method: 'POST', signal: client.signal, headers: { authorization: 'Bearer ' + me.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: 'slowly' }], x_sandbox: { hang: true } }),
  })
  const disconnected = assert.rejects(response, { name: 'AbortError' })
  return () => {
    client.abort()
    return disconnected
  }
}

test('a request in progress is a row that becomes the finished one in its place', async () => {
  const me = await newcomer()
  await me.send(1)
  const page = await opened(me, 1)
  const stop = hangingRequest(me)
  try {
    await page.getByRole('row').filter({ hasText: 'In progress' }).first().waitFor()
    const row = page.getByRole('row').filter({ hasText: 'In progress' })
    const id = await row.getAttribute('id')
    await me.send(1)
    await has(page, 3)
    await row.click()
    await text(page, 'In progress for')
    await stop()
    await page.getByRole('article').getByText('The client disconnected').first().waitFor() // the panel shows the record as soon as there is one
    await page.keyboard.press('Escape')
    await eventually(async () => (await page.getByText('In progress').count()) === 0, 'the row has ended')
    assert.deepEqual(await page.locator('.vbody .vrow').evaluateAll((all, it) => all.map((r) => r.id === it), id), [false, true, false], 'in place, once')
  } finally {
    await stop()
  }
  await me.context.close()
})
