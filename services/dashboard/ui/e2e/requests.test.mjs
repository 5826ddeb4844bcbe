import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, drawn, eventually, everyState, open, scene, sound, text } from './lib.mjs'

everyState('requests', '/requests', {
  full: { options: {}, ready: (page) => text(page, 'Fallback · 2nd') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No requests yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('request', `/requests/${scene.requests[2]}`, {
  full: { options: {}, ready: (page) => text(page, 'sandbox-medium at sandbox responded') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('panel', `/requests?sel=${scene.requests[2]}&tab=cost`, {
  full: { options: {}, ready: (page) => text(page, 'Usage') },
})

test('the reason for a fallback is found by keyboard alone', async () => {
  const page = await open('/requests')
  await text(page, 'Fallback · 2nd')
  await page.keyboard.press('/')
  await page.keyboard.type('route:fallback')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=route%3Afallback/)
  await page.getByText('MODEL_NOT_FOUND').first().waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  // The oldest one: j stops there.
  await eventually(async () => {
    await page.keyboard.press('j')
    return page.getByText('sandbox-small at sandbox was overloaded').first().isVisible()
  }, 'the fallback from an overloaded model is shown')
  await page.keyboard.press('Escape')
  assert.equal(await page.getByText('was overloaded').count(), 0)
  await close(page)
})

test('a request names its client and protocol, with links to the same ones', async () => {
  const page = await open(`/requests/${scene.requests[2]}`)
  await text(page, 'Protocol')
  const facts = page.locator('.detail > dl.facts')
  const client = await facts.locator('dd').first().innerText()
  assert.match(client, /^[a-z0-9._-]+$/)
  assert.equal(await facts.locator('dd').last().innerText(), 'chat')
  await facts.getByRole('link', { name: client }).click()
  await page.waitForURL(new RegExp('q=agent%3A' + client))
  await page.locator('.vbody .vrow').first().waitFor()
  await close(page)
})

test('a response is rated, and the rating shows its source', async () => {
  const page = await open(`/requests/${scene.requests[2]}`)
  const good = page.getByRole('button', { name: 'Good response' })
  const bad = page.getByRole('button', { name: 'Bad response' })
  await good.click()
  await page.locator('.evidence').getByText('Good', { exact: true }).waitFor()
  await eventually(async () => (await good.getAttribute('aria-pressed')) === 'true', 'the button shows the rating')
  await bad.click()
  await page.locator('.evidence').getByText('Bad', { exact: true }).waitFor()
  assert.equal(await page.locator('.evidence li').count(), 1, 'the second rating replaces the first')
  await page.getByLabel('Reason').fill('wrong <b>answer</b>')
  await page.getByRole('button', { name: 'Save reason' }).click()
  await page.locator('.evidence').getByText('wrong <b>answer</b>').waitFor()
  await page.reload()
  await page.locator('.evidence').getByText('wrong <b>answer</b>').waitFor()
  await sound(page)
  await close(page)
})

test('a live request appears once', async () => {
  const page = await open('/requests?q=requested_model:nobody-asked')
  await text(page, 'No matching requests')
  await text(page, 'Live')
  const res = await page.request.post(scene.base + '/proxy/v1/chat/completions', {
    headers: { authorization: 'Bearer ' + scene.key }, data: { model: 'nobody-asked', messages: [{ role: 'user', content: 'hi' }] },
  })
  assert.equal(res.status(), 404)
  await text(page, 'MODEL_NOT_FOUND')
  await page.reload()
  await text(page, 'MODEL_NOT_FOUND')
  assert.equal(await page.getByText('MODEL_NOT_FOUND').count(), 1)
  await close(page)
})

test('keys that are pressed within a frame each move the selection', async () => {
  const page = await open('/requests')
  await page.locator('.vbody .vrow').nth(5).waitFor()
  await page.evaluate(async () => {
    for (let i = 0; i < 6; i++) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))
      await new Promise((next) => setTimeout(next)) // no frame between most keys
    }
  })
  await eventually(() => page.locator('.vbody .vrow').nth(5).evaluate((row) => row.getAttribute('aria-selected') === 'true'), 'six keys select the sixth row')
  await close(page)
})

test('on a phone a request has two lines unless columns were chosen', async () => {
  const page = await open('/requests', { width: 390 })
  await page.locator('.vbody .vrow').first().waitFor()
  const look = () => page.locator('.vbody .vrow').first().evaluate((row) => {
    const [model, total] = [row.querySelector('.of-model'), row.querySelector('.of-total')].map((el) => el?.getBoundingClientRect())
    const list = row.closest('.vlist')
    return { lines: model && total ? total.top >= model.bottom - 4 : null, wider: list.scrollWidth > list.clientWidth, height: row.getBoundingClientRect().height }
  })
  await drawn(page) // the list learns its width after its rows are there
  assert.deepEqual(await look(), { lines: true, wider: false, height: 56 })
  const tops = await page.locator('.vbody .vrow').evaluateAll((all) => all.map((el) => el.getBoundingClientRect().top).sort((a, b) => a - b))
  assert.ok(tops.slice(1).every((top, i) => top - tops[i] >= 56), 'rows do not overlap')
  await page.goto(scene.base + '/requests?cols=time,route,model,total')
  await page.locator('.vbody .vrow').first().waitFor()
  assert.equal((await look()).lines, false)
  // A wider window shows the same list with columns.
  await page.goto(scene.base + '/requests')
  await page.locator('.vbody .vrow').first().waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await eventually(async () => (await look()).lines === false && (await look()).height === 32, 'rows have one line')
  // A selected request far down is in view, also after its height changed.
  await page.route('**/api/v1/requests?**', async (r) => {
    const list = await (await r.fetch()).json()
    await r.fulfill({ json: { ...list, items: Array.from({ length: 200 }, (_, i) => ({ ...list.items[0], id: i === 150 ? scene.requests[0] : `copy-${i}` })) } })
  })
  const isInView = () => page.locator('.vrow[aria-selected=true]').evaluateAll((all) => all.some((row) => {
    const [own, list] = [row, row.closest('.vlist')].map((el) => el.getBoundingClientRect())
    return own.top >= list.top && own.bottom <= list.bottom
  }))
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(scene.base + `/requests?q=-model:x&sel=${scene.requests[0]}`) // with a filter, the page has no preloaded rows
  await eventually(isInView, 'the request is in view on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  await eventually(isInView, 'the request is in view beside its details')
  await close(page)
})

test('a wrong filter is explained, and the suggestion fixes it', async () => {
  const page = await open('/requests?q=modle:x')
  await text(page, 'unknown field')
  await page.getByRole('button', { name: 'Use model' }).click()
  await page.waitForURL(/q=model%3Ax/)
  await text(page, 'No matching requests')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await sound(page)
  await close(page)
})

test('hostile text is not rendered as HTML', async () => {
  const page = await open(`/requests/${scene.requests[3]}?tab=content`)
  await text(page, '<script>alert(1)</script>')
  assert.equal(await page.locator('img').count(), 0)
  await sound(page)
  await close(page)
})

/** Opens a request with a changed record. */
async function openChanged(index, change, path = '') {
  const id = scene.requests[index]
  return open(`/requests/${id}${path}`, { routes: { [`**/api/v1/requests/${id}`]: async (r) => {
    const record = await (await r.fetch()).json()
    change(record)
    await r.fulfill({ json: record })
  } } })
}

test('a client that disconnects is not shown as a failure', async () => {
  const page = await openChanged(0, (r) => {
    Object.assign(r, { outcome: 'client_closed', code: 'CLIENT_CANCELLED', error: 'the client closed the connection' })
    r.attempts[0].code = 'CLIENT_CANCELLED'
  })
  await page.locator('.chip.closed', { hasText: 'Disconnected' }).waitFor()
  assert.equal(await page.locator('.chip.expected').count(), 0)
  await text(page, /The client disconnected while .* was responding/)
  await page.getByRole('tab', { name: 'Decision' }).click()
  await text(page, /^The client disconnected after/)
  assert.equal(await page.getByText(/Failed after/).count(), 0)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await text(page, /client disconnected after/)
  assert.equal(await page.locator('.rail .bad').count(), 0)
  await sound(page)
  await close(page)
})

test('a decision says in words what was predicted, and why', async () => {
  const page = await openChanged(0, (r) => Object.assign(r.inputs, { tags: ['legal'], metadata: { team: 'search' } }))
  await page.locator('dt', { hasText: 'Predictor' }).waitFor()
  await text(page, /what the predictor was trained on/)
  const chosen = page.getByRole('row').filter({ hasText: 'Served' })
  await chosen.getByText(/^0\.\d\d–[01]\.\d\d$/).waitFor()
  await chosen.getByText('512 tokens').waitFor()
  await page.locator('.chip[title="feature.messages"]', { hasText: 'Messages 1' }).waitFor()
  assert.equal(await page.getByText(/learned (kind|ease|error)/).count(), 0)
  await sound(page)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.locator('.axis span').first().waitFor()
  await page.getByText('Waiting for the response').waitFor() // not streamed, so there is no first token
  await sound(page)
  await page.getByRole('link', { name: 'legal' }).click()
  await page.waitForURL('**/requests?q=tag%3Alegal')
  await close(page)
})

test('missing content is explained by what happened to the request', async () => {
  for (const [index, change, words] of [
    [5, () => {}, 'The content of rejected requests is not stored'],
    [4, () => {}, 'There is no response of a model. The client received the error PROVIDER_UPSTREAM_ERROR.'],
    [0, (r) => Object.assign(r, { request: null, response: null, capture: 'none' }), 'Capture is off for the account'],
  ]) {
    const page = await openChanged(index, change)
    await page.getByRole('tab', { name: 'Content' }).click()
    await text(page, words)
    assert.equal(await page.getByText(/\b0 bytes/).count(), 0)
    if (index !== 0) assert.equal(await page.getByText('Capture is off').count(), 0)
    await close(page)
  }
})

test('an unknown request is reported without the id of the API call', async () => {
  const page = await open('/requests/0198c0de-7d5a-7000-8000-000000000000')
  await text(page, 'NOT_FOUND')
  assert.doesNotMatch(await page.locator('.errorbox').innerText(), /request [0-9a-f-]{36}|API call/)
  await close(page)
})

test('a failed request never shows savings', async () => {
  const page = await openChanged(0, (r) => {
    Object.assign(r, { outcome: 'interrupted', code: 'PROVIDER_STREAM_INTERRUPTED', cost_nano_usd: 100, saved_nano_usd: -100 })
    r.baseline.cost_nano_usd = 0
  })
  await text(page, 'so its cost of $0.0000001 reduces the savings')
  await page.getByRole('tab', { name: 'Cost' }).click()
  await text(page, 'a failure never counts as savings')
  assert.equal(await page.locator('.money.saved').count(), 0)
  await close(page)
})
