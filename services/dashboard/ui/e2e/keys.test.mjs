import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { api, eventually, everyState, open, scene, sound, tabTo, text } from './lib.mjs'

const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
const viewer = { email: 'viewer@example.com', password: 'correct horse battery' }
let shown

before(async () => {
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

/** Shows a page with one key that is near its budget of the day, and one that has used it up. */
async function withLimits(page) {
  await page.route('**/api/v1/limits*', async (r) => {
    const all = await (await r.fetch()).json()
    for (const k of all.keys) k.spent = spent[k.name] ?? amounts(0, 0)
    all.account.spent = amounts(10_500_000_000, 143_400_000_000)
    const batch = all.keys.find((k) => k.name === 'batch')
    if (batch) {
      batch.limits.nano_usd_per_day = 2_000_000_000
      batch.refusals = [refused(batch.id, 'nano_usd_per_day'), { ...refused(batch.id, null), error: 'told so', request_id: scene.requests[1] }]
      all.account.refusals = batch.refusals
    }
    await r.fulfill({ json: all })
  })
  await page.reload()
}

everyState('keys', '/keys', {
  full: { options: {}, ready: async (page) => { await withLimits(page); await text(page, 'works until'); await text(page, 'Refused lately') } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No key yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('newkey', '/keys?new=1', {
  full: {
    options: {},
    ready: async (page) => {
      await page.getByText('More settings').click()
      await page.getByLabel('Dollars a day').fill('ten')
      await page.getByRole('button', { name: 'Make the key' }).click()
      await text(page, 'dollars, such as 10')
    },
  },
})

test('one key, at its own address, in both colours and widths', async () => {
  for (const [scheme, width] of [['light', 1280], ['dark', 390]]) {
    const page = await open('/keys/' + shown.id, { scheme, width })
    await withLimits(page)
    await page.getByRole('heading', { name: 'prod-web' }).waitFor()
    await text(page, '85\u00a0% used')
    await sound(page)
    await page.context().close()
  }
})

test('budgets have bars that warn, others have figures alone', async () => {
  const page = await open('/keys')
  await withLimits(page)
  const row = (name) => page.locator('.keyrow', { has: page.getByRole('link', { name, exact: true }) })
  await row('prod-web').getByText('$8.50 of $10.00').waitFor()
  assert.equal(await row('prod-web').locator('.bar').getAttribute('class'), 'bar near')
  assert.equal(await row('batch').locator('.bar').getAttribute('class'), 'bar full')
  await row('prod-web').getByText('$112.40').waitFor()
  assert.equal(await row('mobile').locator('.bar').count(), 0, 'what has no limit cannot be full')
  await text(page, 'batch: the budget of the day did not cover it')
  await text(page, 'batch: told so')
  await page.getByRole('link', { name: /^Open the request/ }).first().click()
  await page.waitForURL(new RegExp('/requests/' + scene.requests[0]))
  await page.context().close()
})

test('whom a limit refuses is on the page of the key, and one click from its record', async () => {
  const made = await api(scene.full, 'POST', '/keys', { name: 'tight', limits: { requests_per_minute: 1 } })
  const page = await open('/requests')
  const send = () => page.request.post(scene.base + '/proxy/v1/chat/completions', { headers: { authorization: 'Bearer ' + made.key }, data: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] } })
  await eventually(async () => (await send()).status() === 429, 'the second request of a minute is refused')
  await eventually(async () => (await api(scene.full, 'GET', '/limits?key=' + made.id)).keys[0].refusals.length > 0, 'the refusal is recorded')
  await page.goto(scene.base + '/keys/' + made.id)
  await text(page, 'too many requests a minute')
  await page.getByRole('link', { name: /^Open the request/ }).first().click()
  await text(page, 'It was refused before any model was asked')
  await text(page, 'RATE_LIMIT_EXCEEDED')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('what is used cannot be told: the keys are there all the same', async () => {
  const page = await open('/requests')
  await page.route('**/api/v1/limits*', (r) => r.fulfill({ status: 503, json: { error: 'The ledger cannot be read at the moment.', code: 'STORE_UNAVAILABLE', details: {} } }))
  for (const [path, there] of [['/keys', 'prod-web'], ['/keys/' + shown.id, 'Begins with'], ['/account', 'Name of the account']]) {
    await page.goto(scene.base + path)
    await text(page, 'STORE_UNAVAILABLE')
    await text(page, there)
  }
  await page.context().close()
})

test('models and routes are offered one after the other', async () => {
  const page = await open('/keys?new=1')
  await page.getByText('More settings').click()
  const offered = () => page.locator('datalist#names option').evaluateAll((all) => all.map((o) => o.value))
  await eventually(async () => (await offered()).includes('auto') && (await offered()).includes('sandbox-small'), 'names are offered')
  await page.getByLabel('Models and routes').fill('auto, ')
  await eventually(async () => (await offered()).includes('auto, sandbox-small') && !(await offered()).includes('auto, auto'), 'the list goes on')
  await page.context().close()
})

test('what hides in the name of a key is shown', async () => {
  const page = await open('/requests')
  await page.route('**/api/v1/keys', async (r) => {
    const list = await (await r.fetch()).json()
    for (const k of list.items) k.name = 'key\u202egpj\u0007'
    await r.fulfill({ json: list })
  })
  await page.goto(scene.base + '/keys')
  await page.getByRole('link', { name: 'key[U+202E]gpj[U+0007]' }).first().waitFor()
  await page.getByRole('button', { name: 'Rotate key[U+202E]gpj[U+0007]' }).first().click()
  await page.getByRole('heading', { name: 'Rotate key[U+202E]gpj[U+0007]' }).waitFor()
  assert.equal((await page.locator('body').innerText()).includes('\u202e'), false)
  await page.context().close()
})

test('a key is made, shown once, and taken away when it is saved', async () => {
  const page = await open('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'Make the key' }).click()
  await text(page, 'a key needs a name')
  assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await page.getByLabel('Name', { exact: true }).fill('<b>made</b>')
  await page.getByLabel('Ends').selectOption('30')
  await page.getByRole('button', { name: 'Make the key' }).click()
  await page.getByRole('heading', { name: /is made/ }).waitFor()
  const secret = await page.locator('.secret').textContent()
  assert.match(secret, /^sbx_live_\w{38}$/)
  await sound(page)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download .env' }).click()])
  assert.match(file.suggestedFilename(), /\.env$/)
  // Going elsewhere does not lose it.
  await page.getByRole('link', { name: 'Requests' }).first().click()
  await page.getByRole('link', { name: 'Keys' }).first().click()
  await text(page, secret)
  await page.getByRole('button', { name: 'I saved it' }).click()
  assert.equal(await page.getByText(secret).count(), 0)
  await text(page, '<b>made</b>')
  await page.reload()
  await text(page, '<b>made</b>')
  assert.equal(await page.getByText(secret).count(), 0)
  await page.context().close()
})

test('a key is rotated without a failing call, by keyboard alone', async () => {
  const { key } = await api(scene.full, 'POST', '/keys', { name: 'rotate-me' })
  const page = await open('/requests')
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.waitForURL(/\/keys$/)
  await text(page, 'rotate-me')
  await tabTo(page, 'Rotate rotate-me')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Rotate rotate-me' }).waitFor()
  await tabTo(page, 'For 24 hours')
  await page.keyboard.press('ArrowUp')
  assert.ok(await page.getByLabel('For an hour').isChecked())
  await tabTo(page, 'Rotate')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /rotate-me. is made/ }).waitFor()
  const fresh = await page.locator('.secret').textContent()
  for (const k of [key, fresh]) assert.equal(await models(page, k), 200)
  await tabTo(page, 'I saved it')
  await page.keyboard.press('Enter')
  await text(page, `${key.slice(0, 13)}`)
  await page.context().close()
})

const models = async (page, key) => (await page.request.get(scene.base + '/proxy/v1/models', { headers: { authorization: 'Bearer ' + key } })).status()

test('a key in use ends only after its name was typed', async () => {
  const made = await api(scene.full, 'POST', '/keys', { name: 'busy' })
  const page = await open('/keys')
  await text(page, 'busy')
  await page.request.post(scene.base + '/proxy/v1/chat/completions', { headers: { authorization: 'Bearer ' + made.key }, data: { model: 'auto', messages: [{ role: 'user', content: 'hi' }] } })
  // The last use is told some seconds later.
  await eventually(async () => (await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === made.id).last_used_at, 'the use of the key is told')
  await page.reload()
  await page.getByRole('button', { name: 'Revoke busy' }).click()
  const revoke = page.getByRole('button', { name: 'Revoke', exact: true })
  await revoke.click()
  await text(page, 'this is not the name of the key')
  await sound(page)
  await page.getByLabel('Type busy to go on').fill('busy')
  await revoke.click()
  await page.getByRole('button', { name: 'Revoke busy' }).waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement !== null)
  assert.equal((await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === made.id).state, 'revoked')
  await page.context().close()
})

test('a change of one setting leaves the others as they are', async () => {
  const { id } = await api(scene.full, 'POST', '/keys', { name: 'edit-me', tags: ['eu'], limits: { requests_per_minute: 5 } })
  const page = await open('/keys/' + id)
  await page.getByLabel('Dollars a month').fill('12.345678901')
  await api(scene.full, 'PATCH', '/keys/' + id, { limits: { requests_per_minute: 7 }, tags: ['us'] })
  await page.getByRole('button', { name: 'Save' }).click()
  await text(page, 'Saved.')
  const now = (await api(scene.full, 'GET', '/keys')).items.find((k) => k.id === id)
  assert.equal(now.budget.nano_usd_per_month, 12_345_678_901)
  assert.equal(now.limits.requests_per_minute, 7)
  assert.deepEqual(now.tags, ['us'])
  await page.context().close()
})

test('what is of another account is not there', async () => {
  for (const [path, says] of [['/keys/' + shown.id, 'There is no such key'], ['/requests/' + scene.requests[0], 'NOT_FOUND']]) {
    const page = await open(path, { who: scene.empty })
    await text(page, says)
    assert.equal(await page.getByText('prod-web').count(), 0)
    await page.context().close()
  }
})

test('a viewer is told why there is nothing to press', async () => {
  const page = await open('/keys', { who: viewer })
  await text(page, 'you are a viewer')
  await text(page, 'prod-web')
  assert.equal(await page.getByRole('button', { name: /New key|Rotate|Revoke/ }).count(), 0)
  await sound(page)
  await page.context().close()
})
