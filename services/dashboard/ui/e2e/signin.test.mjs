import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyState, open, scene, sound, text } from './lib.mjs'

const nobody = { who: null }

for (const [name, path, says] of [
  ['login', '/login', 'No account yet?'], ['register', '/register', 'Have one already?'], ['claim', '/claim?token=x', 'The link works once'],
  ['invite', '/invite?token=x', 'Accept the invite'], ['password', '/password?token=x', 'Set a new password'],
]) {
  everyState(name, path, { empty: { options: nobody, ready: (page) => text(page, says) } })
}

everyState('refused', '/login', {
  error: {
    options: nobody,
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

test('what is wrong stands beside its field, and what was typed stays', async () => {
  const page = await open('/register', nobody)
  await page.getByLabel('E-mail').fill('short@example.com')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  assert.equal(await page.getByText('a password has at least 10 characters').count(), 2)
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'short@example.com')
  assert.equal(await page.getByLabel('Password').inputValue(), '')
  await page.getByRole('alert').getByRole('link').press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'password')
  page.complaints = []
  await sound(page)
  await page.context().close()
})

test('without JavaScript one signs in, and comes to where one wanted', async () => {
  const first = await open('/login', nobody)
  const context = await first.context().browser().newContext({ javaScriptEnabled: false })
  await first.context().close()
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

test('the colours that were chosen hold from the first byte on', async () => {
  const page = await open('/keys', { scheme: 'light' })
  await page.getByRole('button', { name: /Change to light/ }).click()
  await page.getByRole('button', { name: /Change to dark/ }).click()
  await page.goto(scene.base + '/login')
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
  await page.context().close()
})
