import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, everyState, open, scene, sound, tabTo, text, urlOf } from './lib.mjs'

everyState('start', '/start', {
  full: { options: {}, ready: (page) => text(page, 'View decision') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'Waiting for your first request') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('from the claim link to a decision in five clicks', async () => {
  const page = await open('/login', { who: null })
  let clicks = 0
  const click = (name, role = 'button') => (clicks++, page.getByRole(role, { name }).click())
  await page.goto(scene.claim)
  await page.getByLabel('E-mail').fill('new@example.com')
  await page.getByLabel('Password').fill('correct horse battery')
  await click('Set up account')
  await page.waitForURL(/\/start$/)
  await text(page, 'Waiting for your first request')
  await click('Create key')
  const secret = await page.locator('.secret').textContent()
  await text(page, `Authorization: Bearer ${secret}`)
  await click('Send this request from the browser')
  await text(page, 'Response: “')
  await page.locator('.arrived').waitFor()
  await text(page, 'auto → sandbox-small')
  await sound(page)
  await click('View decision', 'link')
  await text(page, 'sandbox-small at sandbox responded')
  await text(page, 'Candidate')
  assert.ok(clicks <= 5, `${clicks} clicks`)
  await close(page)
})

test('a key is created and a request sent by keyboard alone', async () => {
  const page = await open('/start')
  await text(page, 'View decision')
  const last = await page.locator('.arrived a').getAttribute('href')
  await tabTo(page, 'Create key')
  await page.keyboard.press('Enter')
  await page.locator('.secret').waitFor()
  await tabTo(page, 'curl')
  await page.keyboard.press('ArrowRight')
  await text(page, 'from openai import OpenAI')
  assert.match((await urlOf(page)).href, /lang=python/)
  await tabTo(page, 'Send this request from the browser')
  await page.keyboard.press('Enter')
  await page.locator('.arrived.fresh').waitFor()
  assert.notEqual(await page.locator('.arrived a').getAttribute('href'), last)
  await tabTo(page, 'View decision')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}$/)
  await text(page, 'sandbox-small at sandbox responded')
  await close(page)
})

test('the page says where to choose the error format of SDKs', async () => {
  const page = await open('/start')
  await text(page, 'Some SDKs show error texts only in OpenAI’s nested format.')
  await page.getByRole('link', { name: 'create or edit a key' }).waitFor()
  await page.getByRole('link', { name: 'Error format' }).click()
  await page.waitForURL(/\/docs\/errors#openai-format$/)
  await page.getByRole('heading', { name: 'OpenAI format' }).waitFor()
  await close(page)
})

test('every snippet has the base URL and the key variable', async () => {
  const page = await open('/start')
  for (const tool of ['curl', 'Python', 'Node', 'Go', 'LangChain', 'AI SDK', 'LiteLLM', 'Cursor', 'Codex']) {
    await page.getByRole('tab', { name: tool, exact: true }).click()
    const panel = page.getByRole('tabpanel', { name: tool, exact: true })
    await text(panel, scene.base + '/proxy/v1')
    await text(panel, 'SIGNALBOX_KEY')
  }
  await page.goto(scene.base + '/start?lang=claude')
  await text(page, `ANTHROPIC_BASE_URL=${scene.base}/proxy`)
  await page.getByRole('tab', { name: '.env' }).click()
  await text(page, `OPENAI_BASE_URL=${scene.base}/proxy/v1`)
  await sound(page)
  await close(page)
})
