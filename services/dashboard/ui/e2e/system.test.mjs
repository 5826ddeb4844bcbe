import assert from 'node:assert/strict'
import { test } from 'node:test'
import { close, everyState, open, scene, sound, text, toast } from './lib.mjs'

const letter = { producer: 'proxy-1', seq: 7, received_at: '2026-11-14T12:00:00.000000Z', reason: 'no <b>account</b>', parked: false, schema: null, bytes: 412 }

const broken = {
  '/system': {
    version: '1.2.3', started_at: '2026-11-14T12:00:00.000000Z', policy_version: null, ledger: null, retention: { record_days: null, content_days: 1 },
    warnings: ['A request looks as if a reverse proxy forwarded it. Set --registration=invite.'],
    parts: [{ name: 'ledger', ok: false, duration_us: 2000000, code: 'STORE_UNAVAILABLE', error: 'the ledger cannot be read at the moment' }, { name: 'router', ok: true, duration_us: 300, code: null, error: null }],
  },
  '/completeness': {
    sent: 1000, stored: 900, in_flight: 60, missing: 30, lost: 10, dead_letters: 1,
    producers: [{
      producer: '01a1de82-593e-7abc-8def-0123456789ab', host: 'host-1', first_seen: '2026-11-14T11:00:00.000000Z', last_seen: '2026-11-14T12:00:00.000000Z',
      sent: 1000, stored: 900, in_flight: 60, missing: 30, lost: 10, dead_letters: 1, refused: 2, gaps: [{ first: 12, last: 40 }, { first: 44, last: 44 }],
    }],
  },
  '/dead-letters': { items: [letter] },
}

const trouble = { routes: Object.fromEntries(Object.entries(broken).map(([path, json]) => [`**/api/v1${path}`, json])) }

/** Waits until the page shows the failures. */
async function inTrouble(page) {
  await text(page, 'no <b>account</b>')
  await text(page, '12–40, 44')
  await text(page, 'is unavailable')
  await text(page, 'Set --registration=invite.')
}

everyState('system', '/system', {
  full: {
    options: {},
    ready: async (page) => {
      await text(page, 'none is missing or lost')
      await text(page, 'All components are healthy.')
      await text(page, 'No dead letters: every received record could be decoded.')
    },
  },
  trouble: { options: trouble, ready: inTrouble },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('dead letters are retried by keyboard alone', async () => {
  const page = await open('/system', trouble)
  await inTrouble(page)
  await page.route('**/api/v1/dead-letters/replay', (r) => r.fulfill({ json: { done: 1, left: 0 } }))
  await page.getByRole('button', { name: 'Retry all' }).focus()
  const asked = page.waitForRequest('**/api/v1/dead-letters/replay')
  await page.keyboard.press('Enter')
  assert.deepEqual((await asked).postDataJSON(), { all: true })
  await toast(page, '1 dead letter stored as a record, 0 left.')
  await sound(page)
  await close(page)
})

test('operator pages explain themselves to other users', async () => {
  for (const path of ['/system', '/providers']) {
    const page = await open(path, { who: scene.empty })
    await text(page, 'Only users of the operator account can open this page')
    await sound(page)
    await close(page)
  }
})
