import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { api, eventually, everyState, open, scene, sound, text } from './lib.mjs'

const member = { email: 'member@example.com', password: 'correct horse battery' }

before(async () => {
  const invite = await api(scene.full, 'POST', '/invites', { role: 'member' })
  await api(null, 'POST', '/invites/accept', { token: invite.token, ...member })
  await api(scene.full, 'POST', '/invites', { role: 'viewer' })
})

everyState('account', '/account', {
  full: { options: {}, ready: (page) => page.getByLabel('Default model').waitFor() },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('people', '/account?tab=people', {
  full: { options: {}, ready: async (page) => { await text(page, member.email); await text(page, 'made') } },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No invite waits') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('you', '/account?tab=you', {
  full: { options: {}, ready: (page) => text(page, 'this browser') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('changes', '/account?tab=changes', {
  full: { options: {}, ready: (page) => text(page, 'made an invite') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('the default model warns, is saved, and stands in the trail', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Default model').fill('sandbox-medium')
  await text(page, 'future requests')
  await page.getByLabel('Days that text is kept').fill('5000')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'content is kept for')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await sound(page)
  await page.getByLabel('Days that text is kept').fill('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'Saved.')
  const a = await api(scene.empty, 'GET', '/account')
  assert.deepEqual([a.baseline_model, a.content_days], ['sandbox-medium', 7])
  await page.getByRole('tab', { name: 'Changes' }).click()
  await text(page, 'changed the account')
  await text(page, 'sandbox-medium')
  await page.context().close()
})

test('limits of the account are set, refused where wrong, and taken away', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Dollars a day').fill('a lot')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'dollars, such as 10')
  await page.getByLabel('Dollars a day').fill('12.50')
  await page.getByLabel('Requests a minute').fill('600')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'Saved.')
  await text(page, '$0.00 of $12.50')
  const set = (await api(scene.empty, 'GET', '/account')).limits
  assert.deepEqual([set.nano_usd_per_day, set.requests_per_minute, set.nano_usd_per_month], [12_500_000_000, 600, 0])
  await page.getByLabel('Dollars a day').fill('')
  await page.getByLabel('Requests a minute').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually(async () => (await api(scene.empty, 'GET', '/account')).limits.nano_usd_per_day === 0, 'the limit is gone')
  await sound(page)
  await page.context().close()
})

test('a webhook is set, signed with a secret that is shown once, and tested', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Address').fill('ftp://example.com')
  await page.getByRole('button', { name: 'Save the address' }).click()
  await text(page, 'a webhook is an https address')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  // A reserved name: nobody answers there.
  await page.getByLabel('Address').fill('https://budgets.invalid/hook')
  await page.getByRole('button', { name: 'Save the address' }).click()
  await text(page, 'Notices are not signed')
  await page.getByRole('button', { name: 'Make a signing secret' }).click()
  const secret = await page.locator('.secret').textContent()
  assert.ok(secret.length > 20)
  await sound(page)
  await page.getByRole('button', { name: 'I saved it' }).click()
  await text(page, 'Notices are signed.')
  assert.equal(await page.getByText(secret).count(), 0)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await text(page, 'It was not told')
  await page.reload()
  await text(page, 'Notices are signed.')
  await page.getByRole('tab', { name: 'Changes' }).click()
  await text(page, 'made a new signing secret')
  await page.context().close()
})

test('who may not change the account reads its limits', async () => {
  const page = await open('/account', { who: member })
  await text(page, 'Owners change what is here')
  assert.equal(await page.getByLabel('Dollars a day').isDisabled(), true)
  assert.equal(await page.getByRole('button', { name: /Save|secret|test/ }).count(), 0)
  await sound(page)
  await page.context().close()
})

test('somebody is invited, joins, and gets another role', async () => {
  const page = await open('/account?tab=people')
  await page.getByLabel('Invite somebody as').selectOption('viewer')
  await page.getByRole('button', { name: 'Make a link' }).click()
  const link = await page.locator('.secret').textContent()
  await sound(page)
  const guest = await open('/login', { who: null })
  await guest.goto(link)
  await guest.getByLabel('E-mail').fill('guest@example.com')
  await guest.getByLabel('Password').fill('correct horse battery')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.waitForURL((u) => u.pathname === '/')
  await guest.goto(scene.base + '/account?tab=people')
  await text(guest, 'you are a viewer')
  await guest.context().close()
  await page.reload()
  await page.getByLabel('Role of guest@example.com').selectOption('member')
  await text(page, 'guest@example.com is now a member.')
  await page.getByRole('button', { name: 'Remove guest@example.com' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByLabel('Role of guest@example.com').waitFor({ state: 'detached' })
  await page.context().close()
})

test('the last owner stays one', async () => {
  const page = await open('/account?tab=people', { who: scene.empty })
  const role = page.getByLabel('Role of ' + scene.empty.email)
  await role.selectOption('viewer')
  await text(page, 'the last owner of an account stays one')
  assert.equal(await role.inputValue(), 'owner')
  await page.context().close()
})

test('other sessions end, and a password is changed', async () => {
  const page = await open('/account?tab=you', { who: member })
  await page.request.post(scene.base + '/api/v1/logout')
  await page.request.post(scene.base + '/api/v1/login', { data: member })
  const other = await page.context().browser().newContext()
  await other.request.post(scene.base + '/api/v1/login', { data: member })
  await page.goto(scene.base + '/account?tab=you')
  await page.getByRole('button', { name: 'End all others' }).click()
  await text(page, 'All other sessions are ended.')
  assert.equal((await other.request.get(scene.base + '/api/v1/session')).status(), 401)
  await other.close()
  await page.getByLabel('Present password').fill('wrong')
  await page.getByLabel('New password').fill('another horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await text(page, 'the present password is wrong')
  await page.getByLabel('Present password').fill(member.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await text(page, 'The password is changed')
  assert.equal((await page.request.get(scene.base + '/api/v1/session')).status(), 200)
  await page.context().close()
})
