import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, everyLook, everyState, open, pressPair, scene, sound, tabTo, text } from './lib.mjs'

everyState('alerts', '/alerts', {
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'There are no alerts yet') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
  'new alert': { options: { who: scene.empty }, ready: async (page) => { await text(page, 'There are no alerts yet'); await page.getByRole('link', { name: 'Create alert' }).click(); await text(page, 'Measured over') } },
})

test('alerts that fire, their channels and the history', async () => {
  const hour = new Date(Date.now() - 3_600_000).toISOString()
  const data = {
    kinds: [{ kind: 'error_rate', name: 'Error rate', about: 'Too many accepted requests fail.', operator: false, unit: 'percent', default: 5, windows: [900], requests: true, runbook: '/docs/alerts#error-rate' }],
    rules: [{ id: 'r1', name: '<b>Errors', kind: 'error_rate', threshold: 5, window_seconds: 900, min_requests: 20, enabled: true, channels: ['c1'], author: 'a@example.com', updated_at: hour }],
    channels: [{ id: 'c1', name: 'Team', kind: 'slack', address: 'https://hooks.example.com/…', signed: false, quiet_hours: { from: 1320, to: 390, zone: 'Asia/Tokyo' }, last_error: 'the webhook responded with status 500', last_at: hour }],
    firing: [{ rule_id: 'r1', subject: null, incident: 'i1', since: hour, value: 40 }],
    events: [{ id: 'e1', rule_id: 'r1', incident: 'i1', firing: true, time: hour, text: 'Error rate is 40 %, at least the threshold of 5 % over 15 minutes.' }],
    email: false,
  }
  const page = await open('/alerts', { routes: { '**/api/v1/alerts': data } })
  await text(page, 'Firing now')
  await text(page, '<b>Errors')
  await text(page, 'Error rate of at least 5 % over 15 minutes with at least 20 requests · to Team')
  await text(page, 'quiet from 22:00 to 06:30 Asia/Tokyo')
  await text(page, 'the webhook responded with status 500')
  await everyLook(page, 'alerts-firing')
  await close(page)
})

test('by keyboard: an alert with its channel, a test, quiet hours, and the end of both', async () => {
  const page = await open('/')
  await page.locator('.headline').waitFor()
  await pressPair(page, 'g', 'b')
  await page.getByRole('link', { name: 'Create alert' }).waitFor()
  await tabTo(page, 'Create alert')
  await page.keyboard.press('Enter')
  await page.waitForURL(/rule=new/)
  await page.getByLabel('Kind').and(page.locator(':focus')).waitFor()
  await page.getByLabel('Threshold in percent').fill('much')
  await page.keyboard.press('Enter')
  await text(page, 'Enter a number')
  await page.getByLabel('Threshold in percent').fill('7.5')
  await page.getByLabel('URL').fill('https://10.0.0.1/hook?token=hidden')
  await page.keyboard.press('Enter')
  await text(page, 'public host')
  page.complaints.length = 0 // the browser logs the rejected address
  await page.getByLabel('URL').fill('https://hooks.invalid/hook?token=hidden')
  assert.equal(await page.getByLabel('Channel name').inputValue(), 'Webhook hooks.invalid')
  await page.getByLabel('Channel name').fill('Team')
  await sound(page)
  await page.keyboard.press('Enter')
  await text(page, 'whsec_')
  await page.getByRole('dialog').getByRole('button', { name: 'Send test to Team' }).press('Enter')
  await text(page, 'Test not delivered')
  await sound(page)
  await page.getByRole('button', { name: 'Done' }).press('Enter')
  await text(page, 'https://hooks.invalid/…')
  await text(page, 'Error rate of at least 7.5 % over 15 minutes with at least 20 requests · to Team')
  assert.ok(!(await page.content()).includes('token=hidden'))

  await page.getByRole('link', { name: 'Edit Team' }).press('Enter')
  await page.getByLabel('Quiet from').fill('22:00')
  await page.getByLabel('Quiet to').fill('6:30')
  await page.getByLabel('Time zone').fill('Asia/Tokyo')
  await sound(page)
  await page.keyboard.press('Enter')
  await text(page, 'quiet from 22:00 to 06:30 Asia/Tokyo')
  await page.getByRole('link', { name: 'Edit Error rate' }).press('Enter')
  await page.waitForURL(/rule=/)
  await page.reload()
  assert.equal(await page.getByLabel('Threshold in percent').inputValue(), '7.5')
  await page.getByRole('checkbox', { name: 'Evaluate this alert' }).press('Space')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.locator('.chip', { hasText: /^Off$/ }).waitFor()
  for (const name of ['Error rate', 'Team']) {
    await page.getByRole('link', { name: 'Delete ' + name }).press('Enter')
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'Delete ' + name }).waitFor({ state: 'detached' })
  }
  const left = await api(scene.full, 'GET', '/alerts')
  assert.deepEqual([left.rules, left.channels], [[], []])
  await page.goto(scene.base + '/account/audit?action=alert')
  for (const line of ['created the alert channel Team', 'created the alert Error rate', 'changed the alert Error rate', 'state on → off', 'deleted the alert Error rate', 'deleted the alert channel Team']) await text(page, line)
  assert.ok(!(await page.content()).includes('token=hidden'))
  await sound(page)
  await close(page)
})
