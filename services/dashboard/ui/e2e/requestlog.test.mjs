// The tools of the request log: order, suggestions, saved views, and the comparison of two requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, everyState, open, scene, sound, text } from './lib.mjs'

const ids = (page) => page.locator('.vbody .vrow').evaluateAll((rows) => rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((r) => r.id.slice(4)))

test('the list is sorted by a column and by keyboard, and the address has the order', async () => {
  const page = await open('/requests', { width: 1440 })
  await page.locator('.vbody .vrow').first().waitFor()
  for (const name of ['Status', 'First token']) await page.getByRole('columnheader', { name, exact: true }).waitFor()
  await page.getByRole('columnheader', { name: 'Cost', exact: true }).getByRole('button').click()
  await page.waitForURL(/sort=cost$/)
  const sorted = async (query) => (await api(scene.full, 'GET', '/requests?limit=100&' + query)).items.map((r) => r.id)
  const byCost = await sorted('sort=cost')
  assert.ok(byCost.length > 2)
  await eventually(async () => (await ids(page)).join().startsWith(byCost.slice(0, 5).join()), 'the dearest request is first')
  assert.equal(await page.getByRole('columnheader', { name: 'Cost', exact: true }).getAttribute('aria-sort'), 'descending')
  await page.getByRole('button', { name: 'Not live' }).waitFor()
  await page.getByRole('button', { name: /^Sort/ }).waitFor()
  await page.keyboard.press('s')
  await page.getByRole('dialog', { name: /^Sort/ }).waitFor()
  await page.getByRole('button', { name: 'Fastest first' }).press('Enter')
  await page.waitForURL(/sort=latency&order=asc/)
  const byLatency = await sorted('sort=latency&order=asc')
  await eventually(async () => (await ids(page)).join().startsWith(byLatency.slice(0, 5).join()), 'the fastest request is first')
  await sound(page)
  await page.reload()
  await eventually(async () => (await ids(page))[0] === byLatency[0], 'the order survives a reload')
  await close(page)
})

test('a key pressed as soon as the suggestions appear chooses one', async () => {
  const page = await open('/requests')
  await page.locator('.vbody .vrow').first().waitFor()
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('#q-suggestions:not([hidden]) [role=option]')) return
      observer.disconnect()
      document.querySelector('#q').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))
    })
    observer.observe(document.body, { childList: true, subtree: true, attributes: true })
    const input = document.querySelector('#q')
    input.focus()
    input.value = 'rou'
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await page.getByRole('listbox', { name: 'Suggestions' }).locator('[aria-selected=true]').waitFor()
  await close(page)
})

test('fields and values are suggested with counts, and chosen by keyboard', async () => {
  const page = await open('/requests')
  await page.locator('.vbody .vrow').first().waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('rou')
  const list = page.getByRole('listbox', { name: 'Suggestions' })
  await list.getByRole('option', { name: /^route:/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await list.locator('[aria-selected=true]').waitFor() // a slow page draws it later
  await page.keyboard.press('Enter')
  const box = page.getByRole('combobox', { name: 'Filter' })
  await eventually(async () => (await box.inputValue()) === 'route:', 'the field is inserted')
  const { values } = await api(scene.full, 'GET', '/requests/facets?field=route')
  const fallback = list.getByRole('option', { name: /^fallback/ })
  await eventually(async () => (await fallback.innerText()).includes(String(values.find((v) => v.value === 'fallback').requests)), 'the count is shown')
  await sound(page)
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'hidden' })
  assert.equal(await box.inputValue(), 'route:', 'Escape closes the list only')
  await page.keyboard.type('fal')
  await fallback.waitFor()
  await page.keyboard.press('ArrowDown')
  await list.locator('[aria-selected=true]').waitFor()
  await page.keyboard.press('Enter')
  await eventually(async () => (await box.inputValue()) === 'route:fallback ', 'the value is inserted')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=route%3Afallback/)
  await close(page)
})

test('a view is saved, shared, opened and deleted', async () => {
  const page = await open('/requests?q=has:error&sort=latency')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Save this view as').fill('Slow errors')
  await page.getByLabel('Share with the account').check()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'View: Slow errors' }).waitFor()
  await sound(page)
  await page.goto(scene.base + '/requests')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('link', { name: 'Slow errors' }).click()
  await page.waitForURL(/q=has%3Aerror&sort=latency/)
  await page.getByRole('button', { name: 'View: Slow errors' }).click()
  await page.getByRole('button', { name: 'Delete view Slow errors' }).click()
  await page.getByRole('link', { name: 'Slow errors' }).waitFor({ state: 'detached' })
  await close(page)
})

test('two requests are compared by keyboard', async () => {
  const page = await open(`/requests?sel=${scene.requests[0]}`)
  await page.getByRole('button', { name: 'Compare', exact: true }).waitFor()
  await page.keyboard.press('x')
  await page.waitForURL(/compare=/)
  await page.goto(`${scene.base}/requests?sel=${scene.requests[2]}&compare=${scene.requests[0]}`)
  await page.getByRole('link', { name: /^Compare with/ }).waitFor()
  await page.keyboard.press('x')
  await page.waitForURL(new RegExp(`/requests/compare\\?a=${scene.requests[0]}&b=${scene.requests[2]}`))
  await page.locator('tr.differs').first().waitFor()
  assert.ok((await page.locator('tr.differs').count()) > 2)
  await close(page)
})

everyState('compare', `/requests/compare?a=${scene.requests[0]}&b=${scene.requests[2]}`, {
  full: { options: {}, ready: (page) => text(page, 'Found in the requests') },
})
