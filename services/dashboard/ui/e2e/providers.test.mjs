import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, eventually, everyState, open, pressPair, readEditor, scene, sound, text, toast } from './lib.mjs'

everyState('providers', '/providers', {
  full: { options: {}, ready: (page) => text(page, 'PROVIDER_OVERLOADED') },
  empty: { options: { routes: { '**/api/v1/providers': { policy_version: 'p1', items: [], drains: [], credentials: [] } } }, ready: (page) => text(page, 'No providers') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('an error links to a request that had it, a model to its requests', async () => {
  const page = await open('/')
  await page.locator('h1').waitFor()
  await pressPair(page, 'g', 'p')
  await page.getByRole('link', { name: 'PROVIDER_OVERLOADED' }).click()
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}\?tab=timeline$/)
  await text(page, 'PROVIDER_OVERLOADED after')
  await page.goBack()
  await page.getByRole('link', { name: 'sandbox-medium' }).click()
  await page.waitForURL(/\/requests\?q=provider%3Asandbox\+model%3Asandbox-medium&range=24h$/)
  await text(page, 'Fallback · 2nd')
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('a test call tells whether a model works', async () => {
  const page = await open('/providers')
  await page.getByRole('button', { name: 'Test sandbox-large at sandbox' }).click()
  await text(page, 'Works')
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Test sandbox-large at sandbox' }) })
  await row.getByRole('link', { name: 'View request' }).click()
  await text(page, 'sandbox-large')
  await text(page, 'Playground:')
  await close(page)
})

test('a missing credential is named', async () => {
  const page = await open('/providers')
  await page.route('**/api/v1/playground', (r) => r.fulfill({ status: 502, headers: { 'x-should-retry': 'false' }, json: { error: 'the provider rejected the credential', code: 'PROVIDER_AUTH_ERROR', details: {} } }))
  await page.getByRole('button', { name: 'Test sandbox-small at sandbox' }).click()
  await text(page, 'Credential missing or rejected')
  await close(page)
})

test('every supported provider says what enables it', async () => {
  const page = await open('/providers')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('textbox', { name: 'Find a provider' }).fill('mistral')
  await text(page, 'MISTRAL_API_KEY')
  await page.getByRole('button', { name: 'Copy YAML' }).click()
  const lines = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(lines, /providers:\n {2}mistral:\n {4}keys: \[\{ref: env:MISTRAL_API_KEY\}\]/)
  await valid(`version: 1\n${lines}models:\n  small: {endpoints: [{provider: mistral, model: x}]}\nroutes:\n  auto: {select: [{target: small}]}\n`)
  await close(page)
})

test('local servers are found when the operator asks', async () => {
  const page = await open('/providers')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.route('**/api/v1/providers/local', (r) => r.fulfill({ json: { available: true, items: [] } }))
  await page.getByRole('link', { name: 'Add a local model' }).first().click()
  await page.getByRole('heading', { name: 'Add a local model' }).waitFor()
  await addModelWithoutServer(page)
  await page.route('**/api/v1/providers/local', (r) => r.fulfill({ json: { available: true, items: [{ provider: 'ollama', base_url: 'http://127.0.0.1:11434/v1', models: ['llama3.2:3b'] }] } }))
  await page.getByRole('button', { name: 'Look again' }).click()
  await text(page, 'llama3.2:3b')
  await page.getByRole('listitem').filter({ hasText: 'llama3.2:3b' }).getByRole('button', { name: 'Copy YAML' }).click()
  await valid(`version: 1\n${await page.evaluate(() => navigator.clipboard.readText())}routes:\n  auto: {select: [{target: "llama3.2:3b"}]}\n`)
  await sound(page)
  await page.getByRole('listitem').filter({ hasText: 'llama3.2:3b' }).getByRole('button', { name: 'Add to draft' }).click()
  const next = page.getByRole('button', { name: /^Add it to / })
  await page.waitForFunction(() => document.querySelector('.codeeditor')?.shadowRoot?.activeElement)
  assert.ok((await next.boundingBox()).y < page.viewportSize().height, 'the next step is in view')
  await next.click()
  await text(page, 'a route can choose its models')
  await sound(page)
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await close(page)
})

/** Names a model of a server that does not respond. One step makes a draft that can be published. */
async function addModelWithoutServer(page) {
  await text(page, 'No local server responds')
  await page.waitForFunction(() => document.activeElement.labels?.[0].textContent.includes('Model name'))
  await page.getByLabel('Model name').press('Enter')
  await text(page, 'Enter the name that the server uses')
  await sound(page)
  await page.getByLabel('Model name').fill('llama3.2')
  await page.getByLabel('Model name').press('Enter')
  await text(page, 'a route can choose its models. Check the draft, and publish it.')
  await valid(await readEditor(page))
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await page.goto(scene.base + '/providers?local=1')
  await page.getByRole('button', { name: 'Look again' }).waitFor()
}

/** Checks that the router accepts a policy. */
async function valid(document) {
  const { problems } = await api(scene.full, 'POST', '/policy/validate', { document })
  assert.deepEqual(problems, [], document)
}

test('a provider is added to the policy draft', async () => {
  const page = await open('/providers')
  await page.getByRole('textbox', { name: 'Find a provider' }).fill('mistral')
  await page.getByRole('button', { name: 'Add to draft' }).click()
  await page.waitForURL(/\/policy\?added=mistral$/)
  await text(page, 'This is a draft')
  await text(page, 'No route uses it yet')
  await page.waitForFunction(() => document.querySelector('.codeeditor')?.shadowRoot?.activeElement)
  const line = await page.getByLabel('Policy document').evaluate((e) => {
    const { state } = e.cmTile.root.view
    return state.doc.lineAt(state.selection.main.head).text
  })
  assert.match(line, /^ +mistral:/)
  await sound(page)
  const draft = await readEditor(page)
  assert.match(draft, /^providers:\n +mistral:\n/m)
  await valid(draft)
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await close(page)
})

test('a model is drained with a reason, refuses requests, and is resumed', async () => {
  const page = await open('/providers')
  await page.getByRole('button', { name: 'Drain sandbox-large at sandbox' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
  await text(page, 'Give a reason')
  await sound(page)
  await page.getByLabel('Reason').fill('Tests of the new rack')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Drained' }).getByText('Tests of the new rack').waitFor()
  await eventually(async () => (await page.request.post(scene.base + '/api/v1/playground', { data: { endpoint: 'chat', body: { model: 'sandbox-large@sandbox', messages: [{ role: 'user', content: 'hi' }] } } })).status() === 503, 'the proxy knows the drain')
  await page.getByRole('button', { name: 'Test sandbox-large at sandbox' }).click()
  await text(page, 'an operator has drained every provider')
  page.complaints = page.complaints.filter((c) => !/503/.test(c))
  await sound(page)
  await page.getByRole('button', { name: 'Resume sandbox-large at sandbox' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await toast(page, 'sandbox-large at sandbox resumed.')
  await page.goto(scene.base + '/account/audit?action=provider')
  await text(page, 'resumed sandbox-large@sandbox')
  await text(page, 'Tests of the new rack')
  await close(page)
})
