import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { api, close, eventually, everyState, open, scene, sound, text, toast, urlOf } from './lib.mjs'

const member = { email: 'member@example.com', password: 'correct horse battery' }

// The tests below need this one.
test('users of the account are invited and join', async () => {
  const invite = await api(scene.full, 'POST', '/invites', { role: 'member' })
  await api(null, 'POST', '/invites/accept', { token: invite.token, ...member })
  await api(scene.full, 'POST', '/invites', { role: 'viewer' })
})

everyState('account', '/account', {
  full: { options: {}, ready: (page) => page.getByLabel('Default model').waitFor() },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('people', '/account/people', {
  full: { options: {}, ready: (page) => text(page, member.email) },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('invites', '/account/invites', {
  full: { options: {}, ready: (page) => text(page, 'created') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No pending invites') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('you', '/account/sign-ins', {
  full: { options: {}, ready: (page) => text(page, 'this browser') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('tokens', '/account/tokens', {
  full: { options: {}, ready: (page) => text(page, 'API tokens') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('an API token is created, works until it is revoked, and is in the audit log', async () => {
  const page = await open('/account/tokens', { who: scene.empty })
  await text(page, 'No API tokens.')
  await page.getByLabel('Name').fill('CI')
  await page.getByRole('checkbox', { name: 'Keys: create, change and revoke keys' }).check()
  await page.getByRole('button', { name: 'Create token' }).click()
  await text(page, 'you cannot view it again')
  const token = await page.locator('.reveal .secret').innerText()
  assert.match(token, /^sbx_token_/)
  const call = () => fetch(new URL('/api/v1/keys', scene.base), { headers: { authorization: 'Bearer ' + token } })
  assert.equal((await call()).status, 200)
  await sound(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Revoke the token CI' }).click()
  await text(page, 'No API tokens.')
  assert.equal((await call()).status, 401)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await text(page, 'revoked the API token')
  await close(page)
})

everyState('changes', '/account/audit', {
  full: { options: {}, ready: (page) => text(page, 'created an invite') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('changing the default model warns, saves it, and is in the audit log', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Default model').fill('sandbox-medium')
  await text(page, 'future requests')
  await page.getByLabel('Content retention in days').fill('5000')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'content retention must be')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  await sound(page)
  await page.getByLabel('Content retention in days').fill('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await toast(page, 'Settings saved.')
  const a = await api(scene.empty, 'GET', '/account')
  assert.deepEqual([a.baseline_model, a.content_days], ['sandbox-medium', 7])
  await page.getByRole('link', { name: 'Audit log' }).click()
  await text(page, 'changed the account')
  await text(page, 'sandbox-medium')
  await close(page)
})

test('account limits are set, validated and removed', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Dollars per day').fill('a lot')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await text(page, 'Enter an amount in dollars, such as 10')
  await page.getByLabel('Dollars per day').fill('12.50')
  await page.getByLabel('Requests per minute').fill('600')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await toast(page, 'Settings saved.')
  await text(page, '$0.00 of $12.50')
  await page.locator('dl.facts', { hasText: 'Rate limits' }).getByText('600').waitFor()
  const set = (await api(scene.empty, 'GET', '/account')).limits
  assert.deepEqual([set.nano_usd_per_day, set.requests_per_minute, set.nano_usd_per_month], [12_500_000_000, 600, 0])
  await page.getByLabel('Dollars per day').fill('')
  await page.getByLabel('Requests per minute').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await eventually(async () => (await api(scene.empty, 'GET', '/account')).limits.nano_usd_per_day === 0, 'the limit is removed')
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('a webhook is set, gets a signing secret that is shown once, and is tested', async () => {
  const page = await open('/account', { who: scene.empty })
  await page.getByLabel('Webhook URL').fill('ftp://example.com')
  await page.getByRole('button', { name: 'Save URL' }).click()
  await text(page, 'the webhook must be an https URL')
  page.complaints = page.complaints.filter((c) => !/400/.test(c))
  // A reserved name that never resolves.
  await page.getByLabel('Webhook URL').fill('https://budgets.invalid/hook')
  await page.getByRole('button', { name: 'Save URL' }).click()
  await text(page, 'Notices are not signed')
  await page.getByRole('button', { name: 'Create signing secret' }).click()
  const secret = await page.locator('.secret').textContent()
  assert.ok(secret.length > 20)
  await sound(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await text(page, 'Notices are signed.')
  assert.equal(await page.getByText(secret).count(), 0)
  await page.getByRole('button', { name: 'Send test notice' }).click()
  await text(page, 'Test notice not delivered')
  await page.reload()
  await text(page, 'Notices are signed.')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await text(page, 'created a new signing secret')
  await close(page)
})

test('a member sees the account settings read-only', async () => {
  const page = await open('/account', { who: member })
  await text(page, 'Only owners can change these settings')
  assert.equal(await page.getByLabel('Dollars per day').isDisabled(), true)
  assert.equal(await page.getByRole('button', { name: /Save|secret|test/ }).count(), 0)
  await sound(page)
  await close(page)
})

test('a user is invited, joins, gets another role and is removed', async () => {
  const page = await open('/account/invites')
  await page.getByLabel('Role of the new user').selectOption('viewer')
  await page.getByRole('button', { name: 'Create invite link' }).click()
  const link = await page.locator('.secret').textContent()
  await sound(page)
  const guest = await open('/login', { who: null })
  await guest.goto(link)
  await guest.getByLabel('E-mail').fill('guest@example.com')
  await guest.getByLabel('Password').fill('correct horse battery')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.waitForURL((u) => u.pathname === '/')
  await guest.goto(scene.base + '/account/people')
  await text(guest, 'you are a viewer')
  await close(guest)
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByLabel('Find people').fill('GUEST@')
  await text(page, '1 person of')
  await page.getByLabel('Role of guest@example.com').selectOption('member')
  await toast(page, 'guest@example.com is now a member.')
  await page.getByRole('button', { name: 'Remove guest@example.com' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByLabel('Role of guest@example.com').waitFor({ state: 'detached' })
  await close(page)
})

test('the last owner cannot give up the role', async () => {
  const page = await open('/account/people', { who: scene.empty })
  const role = page.getByLabel('Role of ' + scene.empty.email)
  await role.selectOption('viewer')
  await text(page, 'an account needs at least one owner')
  assert.equal(await role.inputValue(), 'owner')
  await close(page)
})

test('other sign-ins are ended, and the password is changed', async () => {
  const page = await open('/account/sign-ins', { who: member })
  await page.goto('about:blank') // a page that notices the sign-out would go to the sign-in by itself
  await page.request.post(scene.base + '/api/v1/logout')
  await page.request.post(scene.base + '/api/v1/login', { data: member })
  const other = await page.context().browser().newContext()
  await other.request.post(scene.base + '/api/v1/login', { data: member })
  await page.goto(scene.base + '/account/sign-ins')
  await page.getByRole('button', { name: 'End all other sign-ins' }).click()
  await toast(page, 'All other sign-ins ended.')
  assert.equal((await other.request.get(scene.base + '/api/v1/session')).status(), 401)
  await other.close()
  await page.getByLabel('Current password').fill('wrong')
  await page.getByLabel('New password').fill('another horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await text(page, 'the current password is wrong')
  await page.getByLabel('Current password').fill(member.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await toast(page, 'Password changed. All other sign-ins ended.')
  assert.equal((await page.request.get(scene.base + '/api/v1/session')).status(), 200)
  await close(page)
})

test('the audit log is filtered by action and user, and exported', async () => {
  const page = await open('/account?tab=changes')
  await page.waitForURL(/\/account\/audit$/)
  await text(page, 'created an invite')
  await page.getByLabel('Action').selectOption('invite')
  await page.getByLabel('User').fill('MEMBER@')
  await page.keyboard.press('Enter')
  await page.waitForURL(/action=invite&user=MEMBER/)
  await text(page, 'accepted an invite')
  await page.getByText('created an invite').first().waitFor({ state: 'detached' })
  await page.reload()
  await text(page, 'accepted an invite')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export CSV' }).click()])
  assert.equal(file.suggestedFilename(), 'audit.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  assert.match(lines[0], /^id,time,user_id,email,action/)
  assert.equal(lines.length, 2, lines.join('\n'))
  assert.match(lines[1], /member@example.com,invite.accept/)
  await sound(page)
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await text(page, 'created an invite')
  await page.goto(scene.base + '/')
  await page.locator('h1').waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/account\/audit$/)
  await close(page)
})

everyState('budgets', '/account/budgets', {
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No group budgets') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('a budget for each user is added, raised and removed', async () => {
  const page = await open('/account/budgets', { who: scene.empty })
  await page.getByRole('button', { name: 'Add budget' }).click()
  await page.getByLabel('Budget name').fill('users')
  await page.getByLabel('Applies to').selectOption('user')
  await page.getByLabel('User', { exact: true }).fill('*')
  await page.getByLabel('Dollars per week').fill('much')
  await page.getByRole('button', { name: 'Save budget' }).click()
  await text(page, 'Enter an amount in dollars, such as 10')
  await page.getByLabel('Dollars per week').fill('2.50')
  await page.getByLabel('Prepaid dollars').fill('40')
  await page.getByRole('button', { name: 'Save budget' }).click()
  await toast(page, 'Budget saved.')
  await text(page, 'each user')
  await text(page, '$0.00 of $2.50')
  await page.getByRole('button', { name: 'Edit the budget users' }).click()
  assert.match((await urlOf(page)).href, /edit=users$/)
  await page.reload()
  await page.getByLabel('Dollars per week').fill('5')
  await page.getByRole('button', { name: 'Save budget' }).click()
  await text(page, '$0.00 of $5.00')
  const [b] = (await api(scene.empty, 'GET', '/budgets')).items
  assert.deepEqual([b.kind, b.value, b.amounts.nano_usd_per_week, b.amounts.nano_usd_total], ['user', '*', 5_000_000_000, 40_000_000_000])
  await sound(page)
  await page.getByRole('button', { name: 'Remove the budget users' }).click()
  await text(page, 'No group budgets')
  await close(page)
})
