// The sessions of agents. The API is mocked, so that the sessions have fixed values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, everyState, open, scene, tabTo, text, urlOf } from './lib.mjs'

const session = (n, change = {}) => ({
  id: `3f0a5e1b-${String(n).padStart(4, '0')}-4c0d-9f6a-7d5a0198c0de`, agent: ['claude-code', 'codex', null][n % 3], user: ['ann@example.com', null][n % 2],
  started: '2026-11-14T09:00:00.000000Z', ended: '2026-11-14T09:42:10.000000Z', requests: 20, turns: 18, side_calls: 2, errors: n % 4 === 3 ? 2 : 0, unpriced: 0,
  cost_nano_usd: 412_345_678 * (n + 1), saved_nano_usd: n === 2 ? -20_000_000 : 1_900_000_000, cache_hit_percent: n === 4 ? null : 91.4 - 20 * (n % 4), ...change,
})
const odd = 'run/1 ä'

/** The requests of a session: turns with a growing context, two side calls, a failure and two changes of the model. */
async function timeline() {
  const { items } = await api(scene.full, 'GET', '/requests?filter=' + encodeURIComponent('model:sandbox-small') + '&limit=1')
  return Array.from({ length: 20 }, (_, n) => {
    const side = n === 1 || n === 11, large = n > 6 && n < 14 && !side, failed = n === 9
    const read = n === 0 || side ? 0 : (n === 7 || n === 14 ? 0 : 6000 + 900 * n)
    const cost = side ? 400_000 : (large ? 30_000_000 : 9_000_000) + 700_000 * n + (read ? 0 : 14_000_000)
    return {
      ...items[0], id: `0198c0de-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`, time: new Date(Date.UTC(2026, 10, 14, 9, 2 * n)).toISOString(), session: odd, user: 'ann@example.com', agent: 'claude-code',
      side_call: side, model: failed ? null : large ? 'sandbox-large' : 'sandbox-small', provider: failed ? null : 'sandbox', route: failed ? null : large ? 'policy' : 'expected', outcome: failed ? 'error' : 'ok', code: failed ? 'PROVIDER_TIMEOUT' : null,
      reason: { code: 'CHEAPEST', text: n === 7 ? 'The request needs more than 128000 tokens of context, which only this model has.' : n === 14 ? 'Switching costs about $0.012 less over the expected rest of the session.' : 'The last turn used this model, and the provider has the conversation cached.' },
      tokens: { input: read ? 900 : 6000 + 900 * n, cache_read: read, cache_write: 300, cache_write_1h: 0, output: 400, reasoning: 0 }, latency_us: 2_400_000 + 100_000 * n,
      cost_nano_usd: failed ? 0 : cost, saved_nano_usd: failed ? 0 : cost * 3, baseline: { model: 'sandbox-large', cost_nano_usd: failed ? 0 : cost * 4 },
    }
  })
}

const mockedList = { '**/api/v1/sessions?**': { items: Array.from({ length: 9 }, (_, n) => session(n)), next_cursor: null } }

const mockedSession = {
  '**/api/v1/sessions/**': async (r) => {
    const items = await timeline()
    const total = items.reduce((n, r) => n + r.cost_nano_usd, 0)
    await r.fulfill({ json: { ...session(0, { id: odd, errors: 1, cost_nano_usd: total, saved_nano_usd: total * 3 }), timeline: { items, next_cursor: null } } })
  },
}

everyState('sessions', '/sessions', {
  full: { options: { routes: mockedList }, ready: (page) => text(page, '3f0a5e1b-0000…c0de') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No sessions in this range') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

everyState('session', '/sessions/' + encodeURIComponent(odd), {
  full: { options: { routes: mockedSession }, ready: (page) => text(page, 'less than with the default model') },
  missing: { options: {}, ready: async (page) => { await text(page, 'NOT_FOUND'); page.complaints.length = 0 } },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('a session shows its turns, and links to its requests and back', async () => {
  const page = await open('/sessions/' + encodeURIComponent(odd), { routes: mockedSession })
  const rows = page.locator('.turns tbody tr')
  await rows.nth(19).waitFor()
  assert.equal(await page.title(), `Session ${odd} · Signalbox`)
  assert.deepEqual(await page.locator('.turns .number').allTextContents().then((all) => all.slice(0, 4)), ['1', 'side call', '2', '3'])
  assert.equal(await page.locator('.turns tr.changed').count(), 2)
  await text(page, 'Model changed from sandbox-small')
  assert.equal(await rows.nth(0).getByRole('link').getAttribute('href'), '/requests/0198c0de-0000-7000-8000-000000000000')
  const all = new URL(await page.getByRole('link', { name: 'View as requests' }).getAttribute('href'), scene.base)
  assert.equal(all.searchParams.get('q'), `session:"${odd}"`)
  await page.route('**/api/v1/requests/*', async (r) => r.fulfill({ json: { ...(await timeline())[0], attempts: [], candidates: [], features: {}, evidence: [], comparisons: [], inputs: null, endpoint: 'chat', costs: null } }))
  await rows.nth(0).getByRole('link').click()
  await page.getByRole('link', { name: odd }).click()
  await rows.nth(19).waitFor()
  assert.equal((await urlOf(page)).pathname, '/sessions/' + encodeURIComponent(odd))
  assert.deepEqual(page.complaints, [])
  await close(page)
})

test('the list is searched, sorted and continued by keyboard', async () => {
  const asked = []
  const page = await open('/sessions', { routes: { '**/api/v1/sessions?**': (r) => {
    const q = new URL(r.request().url()).searchParams
    asked.push(Object.fromEntries([...q].filter(([name]) => name !== 'from')))
    return r.fulfill({ json: q.get('cursor') ? { items: [session(1)], next_cursor: null } : { items: [session(0)], next_cursor: 'x' } })
  } } })
  await text(page, 'Load more sessions')
  await tabTo(page, 'Load more sessions')
  await page.keyboard.press('Enter')
  await text(page, '3f0a5e1b-0001…c0de')
  assert.equal(await page.locator('.sessions tbody tr').count(), 2)
  assert.deepEqual(asked.at(-1), { cursor: 'x' })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await page.locator('h1').focus()
  await page.keyboard.press('/')
  await page.keyboard.type('work')
  await page.keyboard.press('Tab')
  await page.keyboard.type('codex')
  await page.keyboard.press('Enter')
  await page.waitForURL(/agent=codex/)
  await Promise.all([page.waitForRequest(/sort=cost/), page.getByRole('link', { name: 'Most expensive' }).click()])
  await page.locator('.sessions tbody tr').first().waitFor()
  assert.deepEqual(asked.at(-1), { search: 'work', agent: 'codex', sort: 'cost' })
  await close(page)
})
