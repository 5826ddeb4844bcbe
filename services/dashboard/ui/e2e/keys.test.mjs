import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, everyLook, everyState, open, pressPair, scene, sound, tabTo, text, toast } from './lib.mjs'

const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
const viewer = { email: 'viewer@example.com', password: 'correct horse battery' }
let shown

// The tests below need this one.
test('keys of every kind are created, and a viewer joins', async () => {
  shown = await api(scene.full, 'POST', '/keys', { name: 'prod-web', scopes: ['chat'], budget: { nano_usd_per_day: 10_000_000_000 }, limits: { requests_per_minute: 600 } })
  await api(scene.full, 'POST', '/keys', { name: 'batch', models: ['auto', 'sandbox-small', 'sandbox-large'], expires_at: soon })
  const old = await api(scene.full, 'POST', '/keys', { name: 'mobile' })
  await api(scene.full, 'POST', `/keys/${old.id}/rotate`, { overlap_seconds: 86_400 })
  const gone = await api(scene.full, 'POST', '/keys', { name: 'gone' })
  await api(scene.full, 'DELETE', '/keys/' + gone.id)
  const invite = await api(scene.full, 'POST', '/invites', { role: 'viewer' })
  await api(null, 'POST', '/invites/accept', { token: invite.token, ...viewer })
})

const later = new Date(Date.now() + 3_600_000).toISOString()
const amounts = (day, month) => ({ day: { nano_usd: day, resets_at: later }, month: { nano_usd: month, resets_at: later } })
const spent = { 'prod-web': amounts(8_500_000_000, 112_400_000_000), batch: amounts(2_000_000_000, 31_000_000_000) }
const refused = (key, name) => ({ time: new Date(Date.now() - 90_000).toISOString(), code: 'BUDGET_EXCEEDED', name, scope: 'key', error: '', key_id: key, request_id: scene.requests[0] })

/** One key is near its daily budget, and one has used it up. */
const withLimits = {
  '**/api/v1/limits*': async (r) => {
    const all = await (await r.fetch()).json()
    for (const k of all.keys) k.spent = spent[k.name] ?? amounts(0, 0)
    all.account.spent = amounts(10_500_000_000, 143_400_000_000)
    const batch = all.keys.find((k) => k.name === 'batch')
    if (batch) {
      batch.limits.nano_usd_per_day = 2_000_000_000
      batch.refusals = [refused(batch.id, 'nano_usd_per_day'), { ...refused(batch.id, null), error: 'message of the proxy', request_id: scene.requests[1] }]
      all.account.refusals = batch.refusals
    }
    await r.fulfill({ json: all })
  },
}

everyState('keys', '/keys', {
  full: { options: { routes: withLimits }, ready: async (page) => { await text(page, 'works until'); await text(page, 'Recently rejected') } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No keys yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('newkey', '/keys?new=1', {
  full: {
    options: {},
    ready: async (page) => {
      await page.getByText('More settings').click()
      await page.getByLabel('Dollars per day').fill('ten')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      await text(page, 'Enter an amount in dollars, such as 10')
    },
  },
})

test('the page of one key, in both themes and widths', async () => {
  const page = await open('/keys/' + shown.id, { routes: withLimits })
  await page.getByRole('heading', { name: 'prod-web' }).waitFor()
  await text(page, '85\u00a0% used')
  await everyLook(page, 'key')
  await close(page)
})

test('keys with a budget have a usage bar, others only figures', async () => {
  const page = await open('/keys', { routes: withLimits })
  const row = (name) => page.locator('.keyrow', { has: page.getByRole('link', { name, exact: true }) })
  await row('prod-web').getByText('$8.50 of $10.00').waitFor()
  assert.equal(await row('prod-web').locator('.bar').getAttribute('class'), 'bar near')
  assert.equal(await row('batch').locator('.bar').getAttribute('class'), 'bar full')
  await row('prod-web').getByText('$112.40').waitFor()
  assert.equal(await row('mobile').locator('.bar').count(), 0, 'a key without a limit has no bar')
  await text(page, 'batch: daily budget exceeded')
  await text(page, 'batch: message of the proxy')
  await page.getByRole('link', { name: /^View the request/ }).first().click()
  await page.waitForURL(new RegExp('/requests/' + scene.requests[0]))
  await close(page)
})

test('a rejected request is on the page of its key and links to its record', async () => {
  const made = await api(scene.full, 'POST', '/keys', { name: 'tight', limits: { requests_per_minute: 1 } })
  const page = await open('/requests')
  const send = () => page.request.post(scene.base + '/proxy/v1/chat/completions', { headers: { authorization: 'Bearer ' + made.key }, data: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] } })
  await eventually(async () => (await send()).status() === 429, 'the second request in a minute is rejected')
  await eventually(async () => (await api(scene.full, 'GET', '/limits?key=' + made.id)).keys[0].refusals.length > 0, 'the rejection is recorded')
  await page.goto(scene.base + '/keys/' + made.id)
  await text(page, 'too many requests per minute')
  await page.getByRole('link', { name: /^View the request/ }).first().click()
  await text(page, 'Rejected before a model was called')
  await text(page, 'RATE_LIMIT_EXCEEDED')
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('keys are shown even if their usage cannot be loaded', async () => {
  const failing = (r) => r.fulfill({ status: 503, json: { error: 'The ledger cannot be read at the moment.', code: 'STORE_UNAVAILABLE', details: {} } })
  for (const [path, there] of [['/keys', 'prod-web'], ['/keys/' + shown.id, 'Prefix'], ['/account', 'Account name']]) {
    const page = await open(path, { routes: { '**/api/v1/limits*': failing } })
    await text(page, 'STORE_UNAVAILABLE')
    await text(page, there)
    await close(page)
  }
})

test('models and routes are suggested one after the other', async () => {
  const page = await open('/keys?new=1')
  await page.getByText('More settings').click()
  const offered = () => page.locator('datalist#names option').evaluateAll((all) => all.map((o) => o.value))
  await eventually(async () => (await offered()).includes('auto') && (await offered()).includes('sandbox-small'), 'names are suggested')
  await page.getByLabel('Models and policy routes').fill('auto, ')
  await eventually(async () => (await offered()).includes('auto, sandbox-small') && !(await offered()).includes('auto, auto'), 'the next suggestions follow')
  await close(page)
})

test('invisible characters in a key name are escaped', async () => {
  const page = await open('/keys', { routes: { '**/api/v1/keys': async (r) => {
    const list = await (await r.fetch()).json()
    for (const k of list.items) k.name = 'key\u202egpj\u0007'
    await r.fulfill({ json: list })
  } } })
  await page.getByRole('link', { name: 'key[U+202E]gpj[U+0007]' }).first().waitFor()
  await page.getByRole('button', { name: 'Rotate key[U+202E]gpj[U+0007]' }).first().click()
  await page.getByRole('heading', { name: 'Rotate key[U+202E]gpj[U+0007]' }).waitFor()
  assert.equal((await page.locator('body').innerText()).includes('\u202e'), false)
  await close(page)
})

test('the form of a key offers nested errors, and such a key gets them', async () => {
  const page = await open('/keys?new=1')
  await page.getByLabel('Name', { exact: true }).fill('nested-errors')
  await page.getByText('More settings').click()
  await text(page, 'Choose nested for the OpenAI SDKs, LangChain and other frameworks.')
  await page.getByLabel('Error format').selectOption({ label: 'Nested, as in the OpenAI API' })
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: /created$/ }).waitFor()
  const key = await page.locator('.secret').textContent()
  const res = await fetch(scene.base + '/proxy/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nothere', messages: [{ role: 'user', content: 'Say hello' }] }),
  })
  const { error } = await res.json()
  assert.equal(error.code, 'MODEL_NOT_FOUND')
  assert.match(error.message, /nothere/)
  await page.getByRole('button', { name: 'Done' }).click()
  await close(page)
})

test('a created key is shown once and hidden when the user is done', async () => {
  const page = await open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await text(page, 'a key needs a name')
  assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await page.getByLabel('Name', { exact: true }).fill('<b>made</b>')
  await page.getByLabel('Expires').selectOption('30')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: /created$/ }).waitFor()
  const secret = await page.locator('.secret').textContent()
  assert.match(secret, /^sbx_live_\w{38}$/)
  await sound(page)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download .env' }).click()])
  assert.match(file.suggestedFilename(), /\.env$/)
  // Opening another page does not lose it.
  await page.getByRole('link', { name: 'Requests' }).first().click()
  await page.getByRole('link', { name: 'Keys' }).first().click()
  await text(page, secret)
  await page.getByRole('button', { name: 'Done' }).click()
  assert.equal(await page.getByText(secret).count(), 0)
  await text(page, '<b>made</b>')
  await page.reload()
  await text(page, '<b>made</b>')
  assert.equal(await page.getByText(secret).count(), 0)
  await close(page)
})

test('a key is rotated by keyboard alone, and both keys work', async () => {
  const { key } = await api(scene.full, 'POST', '/keys', { name: 'rotate-me' })
  const page = await open('/requests')
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  await pressPair(page, 'g', 'k')
  await page.waitForURL(/\/keys$/)
  await text(page, 'rotate-me')
  await tabTo(page, 'Rotate rotate-me')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Rotate rotate-me' }).waitFor()
  await tabTo(page, 'Expires in 24 hours')
  await page.keyboard.press('ArrowUp')
  assert.ok(await page.getByLabel('Expires in 1 hour').isChecked())
  await tabTo(page, 'Rotate')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /rotate-me. created/ }).waitFor()
  const fresh = await page.locator('.secret').textContent()
  for (const k of [key, fresh]) assert.equal(await models(page, k), 200)
  await tabTo(page, 'Done')
  await page.keyboard.press('Enter')
  await text(page, `${key.slice(0, 13)}`)
  await close(page)
})

const models = async (page, key) => (await page.request.get(scene.base + '/proxy/v1/models', { headers: { authorization: 'Bearer ' + key } })).status()

test('revoking a key in use requires typing its name', async () => {
  const made = await api(scene.full, 'POST', '/keys', { name: 'busy' })
  const page = await open('/keys')
  await text(page, 'busy')
  await page.request.post(scene.base + '/proxy/v1/chat/completions', { headers: { authorization: 'Bearer ' + made.key }, data: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] } })
  // The last use is reported some seconds later.
  await eventually(async () => (await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === made.id).last_used_at, 'the use of the key is reported')
  await page.reload()
  await page.getByRole('button', { name: 'Revoke busy' }).click()
  const revoke = page.getByRole('button', { name: 'Revoke', exact: true })
  await revoke.click()
  await text(page, 'This is not the name of the key.')
  await sound(page)
  await page.getByLabel('Type busy to confirm').fill('busy')
  await revoke.click()
  await page.getByRole('button', { name: 'Revoke busy' }).waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement !== null)
  assert.equal((await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === made.id).state, 'revoked')
  await close(page)
})

test('changing one setting leaves the others unchanged', async () => {
  const { id } = await api(scene.full, 'POST', '/keys', { name: 'edit-me', tags: ['eu'], limits: { requests_per_minute: 5 } })
  const page = await open('/keys/' + id)
  await page.getByLabel('Dollars per month').fill('12.345678901')
  await api(scene.full, 'PATCH', '/keys/' + id, { limits: { requests_per_minute: 7 }, tags: ['us'] })
  await page.getByRole('button', { name: 'Save' }).click()
  await toast(page, 'Key saved.')
  const now = (await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === id)
  assert.equal(now.budget.nano_usd_per_month, 12_345_678_901)
  assert.equal(now.limits.requests_per_minute, 7)
  assert.deepEqual(now.tags, ['us'])
  await close(page)
})

test('keys and requests of another account are not found', async () => {
  for (const [path, says] of [['/keys/' + shown.id, 'Key not found'], ['/requests/' + scene.requests[0], 'NOT_FOUND']]) {
    const page = await open(path, { who: scene.empty })
    await text(page, says)
    assert.equal(await page.getByText('prod-web').count(), 0)
    await close(page)
  }
})

test('a viewer sees why actions are missing', async () => {
  const page = await open('/keys', { who: viewer })
  await text(page, 'you are a viewer')
  await text(page, 'prod-web')
  assert.equal(await page.getByRole('button', { name: /Create key|Rotate|Revoke/ }).count(), 0)
  await sound(page)
  await close(page)
})
