import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, drawn, eventually, everyState, newcomer, open, scene, sound, tabTo, text, toast, urlOf } from './lib.mjs'

const column = (page, model) => page.getByRole('region', { name: 'Response to ' + model, exact: true })

/** Waits until the columns of all models show their cost. */
async function finished(page, ...models) {
  for (const m of models) await column(page, m).getByText('Latency').waitFor()
}

everyState('playground', '/playground?models=auto,sandbox-large&code=python', {
  empty: { options: {}, ready: (page) => text(page, 'Write a prompt.') },
  finished: {
    options: {},
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Prompt' }).fill('Say hello')
      await text(page, 'Expected cost')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await finished(page, 'auto', 'sandbox-large')
    },
  },
  error: {
    options: { fail: true },
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Prompt' }).fill('Say hello')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await text(page, 'STORE_UNAVAILABLE')
    },
  },
})

test('a prompt is sent by keyboard, to models side by side, and rated', async () => {
  const page = await open('/playground')
  await page.getByRole('textbox', { name: 'Prompt' }).waitFor()
  await tabTo(page, 'Prompt')
  await page.keyboard.type('What is a signal box?')
  await tabTo(page, 'Add model')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Model 2' }).fill('sandbox-small')
  await page.keyboard.press('Tab')
  assert.equal((await urlOf(page)).searchParams.get('models'), 'auto,sandbox-small')
  await page.getByRole('textbox', { name: 'Prompt' }).press('Control+Enter')
  await finished(page, 'auto', 'sandbox-small')
  const small = column(page, 'sandbox-small')
  assert.match(await small.innerText(), /sandbox-small @ sandbox/)
  assert.match(await small.innerText(), /Cost\s*\$0\.0/)
  await small.getByRole('button', { name: 'Good response' }).click()
  await toast(page, 'Rating saved')
  await small.getByRole('button', { name: 'Good response', pressed: true }).waitFor()
  assert.ok(!(await urlOf(page)).href.includes('signal'), 'no text in the address')
  await page.reload()
  await page.getByRole('combobox', { name: 'Model 2' }).waitFor()
  await close(page)
})

test('an estimate that arrives after the responses moves nothing', async () => {
  let answer
  const held = new Promise((r) => (answer = r))
  const page = await open('/playground', { routes: { '**/api/v1/playground/estimate': async (r) => { await held; await r.continue() } } })
  await page.getByRole('textbox', { name: 'Prompt' }).fill('What is a signal box?')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await finished(page, 'auto')
  const place = async () => { await drawn(page); return column(page, 'auto').getByRole('button', { name: 'Good response' }).boundingBox() }
  const before = await place()
  answer()
  await text(page, 'Expected cost')
  assert.deepEqual(await place(), before)
  await close(page)
})

test('a run can be stopped, and leaving the page cancels it', async () => {
  const page = await open('/playground')
  const hanging = JSON.stringify({ messages: [{ role: 'user', content: 'Tell a story' }], x_sandbox: { hang: true, break_after: 3 } })
  await page.getByRole('radio', { name: /Whole body/ }).check()
  await page.getByRole('textbox', { name: 'Body' }).fill(hanging)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await column(page, 'auto').getByText('Stopped').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await column(page, 'auto').getByLabel('Text of the response').locator('pre').waitFor() // the first token
  await page.getByRole('link', { name: 'Keys' }).click()
  const closed = async () => (await api(scene.full, 'GET', '/requests?limit=20&filter=agent:playground')).items.filter((r) => r.outcome === 'client_closed').length
  await eventually(async () => (await closed()) >= 1, 'a cancelled request in the ledger')
  await close(page)
})

test('a logged request opens in the playground, with other models beside it', async () => {
  const page = await open(`/requests/${scene.requests[2]}`)
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('link', { name: 'Open in playground' }).click()
  await text(page, 'From this request')
  assert.match(await page.getByRole('textbox', { name: 'Body' }).inputValue(), /"messages"/)
  const before = (await urlOf(page)).searchParams.get('models') ?? 'auto'
  await page.locator('p.meta button').first().click()
  assert.equal(((await urlOf(page)).searchParams.get('models') ?? 'auto').split(',').length, before.split(',').length + 1)
  await sound(page)
  await close(page)
})

test('a shared run opens for members of the account only', async () => {
  const page = await open('/playground')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('textbox', { name: 'Prompt' }).fill('A secret plan')
  await page.getByRole('button', { name: 'Share' }).click()
  await toast(page, 'Link copied')
  const link = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(link, /\/playground\?share=[0-9a-f-]{36}$/)
  await close(page)

  const again = await open(new URL(link).pathname + new URL(link).search)
  await text(again, 'Shared by')
  assert.match(await again.getByRole('textbox', { name: 'Body' }).inputValue(), /A secret plan/)
  await sound(again)
  await close(again)

  const other = await open(new URL(link).pathname + new URL(link).search, { who: scene.empty })
  await text(other, 'NOT_FOUND')
  assert.ok(!(await other.content()).includes('secret plan'))
  await close(other)
})

test('a viewer is told who can use the playground', async () => {
  const owner = await newcomer()
  const invite = await (await owner.post('/api/v1/invites', { role: 'viewer' })).json()
  const viewer = { email: `viewer-${process.pid}@example.com`, password: 'correct horse battery' }
  await api(null, 'POST', '/invites/accept', { token: invite.token, ...viewer })
  const page = await open('/playground', { who: viewer })
  await text(page, 'Only members and owners can send requests from the playground')
  await sound(page)
  await close(page)
  await owner.context.close()
})
