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

everyState('keys', '/keys', {
  full: { options: {}, ready: (page) => text(page, 'works until') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No key yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('newkey', '/keys?new=1', {
  full: {
    options: {},
    ready: async (page) => {
      await page.getByText('What it may do, and how much').click()
      await page.getByLabel('Dollars a day').fill('ten')
      await page.getByRole('button', { name: 'Make the key' }).click()
      await text(page, 'dollars, such as 10')
    },
  },
})

test('one key, at its own address, in both colours and widths', async () => {
  for (const [scheme, width] of [['light', 1280], ['dark', 390]]) {
    const page = await open('/keys/' + shown.id, { scheme, width })
    await page.getByRole('heading', { name: 'prod-web' }).waitFor()
    await sound(page)
    await page.context().close()
  }
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
