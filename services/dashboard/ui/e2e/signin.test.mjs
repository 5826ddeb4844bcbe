import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, eventually, everyLook, everyState, open, scene, sound, text } from './lib.mjs'

const signedOut = { who: null }

for (const [name, path, says] of [
  ['login', '/login', 'No account yet?'], ['register', '/register', 'Already have an account?'], ['claim', '/claim?token=x', 'prints a new link'],
  ['invite', '/invite?token=x', 'ask for a new invite'], ['password', '/password?token=x', 'ask for a new link'],
]) {
  everyState(name, path, { empty: { options: signedOut, ready: async (page) => { await text(page, says); page.complaints = page.complaints.filter((c) => !/403/.test(c)) } } })
}

// The second Signalbox is unclaimed. Its pages lead to claiming first.
const unclaimed = new URL(scene.claim).origin
for (const path of ['/', '/login', '/register']) {
  test(`an unclaimed installation says on ${path} how to claim it`, async () => {
    const page = await open('/docs', signedOut)
    await page.goto(unclaimed + path)
    await text(page, 'The operator account is not claimed yet.')
    assert.equal(await page.getByText('cannot see or change the policy').count(), path === '/register' ? 1 : 0)
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const [hint, form] = await Promise.all([page.getByRole('note').boundingBox(), page.getByLabel('E-mail').boundingBox()])
      assert.ok(hint.y < form.y, 'before the form')
    }
    await everyLook(page, 'unclaimed' + path.replace('/', '-'))
    await close(page)
  })
}

test('an account that is registered before the claim learns what it cannot see', async () => {
  const page = await open('/docs', signedOut)
  await page.goto(unclaimed + '/register')
  await page.getByLabel('E-mail').fill(`early-${process.pid}@example.com`)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(/\/start/)
  await page.goto(unclaimed + '/')
  await text(page, 'This account cannot see or change the policy')
  await sound(page)
  await page.context().clearCookies()
  await close(page)
})

test('a bad claim link says so at once', async () => {
  const page = await open('/docs', signedOut)
  const res = await page.goto(unclaimed + '/claim?token=bad')
  assert.equal(res.status(), 403)
  await text(page, 'prints a new link at every start')
  assert.equal(await page.locator('form').count(), 0)
  await close(page)
})

everyState('refused', '/login', {
  error: {
    options: signedOut,
    ready: async (page) => {
      await page.getByLabel('E-mail').fill('nobody@example.com')
      await page.getByLabel('Password').fill('not the password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await text(page, 'e-mail or password is wrong')
      page.complaints = page.complaints.filter((c) => !/401/.test(c))
    },
  },
})

everyState('nowhere', '/nothing', {
  error: {
    options: {},
    ready: async (page) => {
      await text(page, 'ENDPOINT_NOT_FOUND')
      page.complaints = page.complaints.filter((c) => !/404/.test(c))
    },
  },
})

test('an error is shown at its field, and the form keeps its values', async () => {
  const page = await open('/register', signedOut)
  await page.getByLabel('E-mail').fill('short@example.com')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('the password must have at least 10 characters').nth(1).waitFor()
  assert.equal(await page.getByText('the password must have at least 10 characters').count(), 2)
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'short@example.com')
  assert.equal(await page.getByLabel('Password').inputValue(), '')
  await page.getByRole('alert').getByRole('link').press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'password')
  page.complaints = []
  await sound(page)
  await close(page)
})

test('signing in works without JavaScript and returns to the requested page', async () => {
  const first = await open('/login', signedOut)
  const context = await first.context().browser().newContext({ javaScriptEnabled: false })
  await close(first)
  const page = await context.newPage()
  const wanted = `/requests/${scene.requests[0]}?tab=cost`
  await page.goto(scene.base + wanted)
  assert.match(page.url(), /\/login\?next=/)
  await page.getByLabel('E-mail').fill(scene.full.email)
  await page.getByLabel('Password').fill(scene.full.password)
  await page.getByLabel('Password').press('Enter')
  await page.waitForURL(scene.base + wanted)
  await page.goto(scene.base + '/login?next=//evil.example')
  await page.getByLabel('E-mail').fill(scene.full.email)
  await page.getByLabel('Password').fill(scene.full.password)
  await page.getByLabel('Password').press('Enter')
  await page.waitForURL(scene.base + '/')
  await context.close()
})

test('the server renders the chosen theme', async () => {
  const page = await open('/keys', { scheme: 'light' })
  await page.getByRole('button', { name: /Change to light/ }).click()
  await page.getByRole('button', { name: /Change to dark/ }).click()
  // A page writes its cookies through another process, so that a navigation may overtake a change.
  await eventually(async () => (await page.context().cookies()).some((c) => c.name === 'theme' && c.value === 'dark'), 'the choice is in a cookie')
  await page.goto(scene.base + '/login')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
  await close(page)
})
