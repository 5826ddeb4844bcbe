import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, everyState, open, scene, sound, tabTo, text } from './lib.mjs'

const operator = (await api(scene.full, 'GET', '/account')).id

everyState('accounts', '/accounts', {
  full: { options: {}, ready: (page) => text(page, 'this month (UTC)') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
  refused: { options: { who: scene.empty }, ready: (page) => text(page, 'Only users of the operator account can open this page') },
})

everyState('accounts-one', `/accounts/${operator}`, {
  full: { options: {}, ready: async (page) => { await text(page, 'Rate limits: none'); await page.locator('.plot canvas').waitFor() } },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('the list is sorted and searched, and the state is in the address', async () => {
  const page = await open('/accounts')
  await page.locator('.accounts tbody tr').first().waitFor()
  assert.match(await page.locator('.accounts tbody tr').first().innerText(), /Operator/, 'who spends most comes first')
  await page.getByRole('button', { name: 'Account', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=name/)
  await page.getByRole('searchbox').fill('no such account')
  await text(page, 'No account has “no such account”')
  await page.reload()
  await text(page, 'No account has “no such account”')
  await sound(page)
  await close(page)
})

test('by keyboard: an account shows its spend without its requests, and another one is chosen', async () => {
  const page = await open('/accounts')
  const name = (await page.locator('.accounts .group a').first().innerText()).trim()
  await tabTo(page, name)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/accounts\/.+/)
  await page.locator('.spendtable tbody tr').first().waitFor()
  assert.equal(await page.locator('.spendtable a, .chart a').count(), 0, 'no link to requests')
  await page.getByRole('link', { name: 'Provider', exact: true }).click()
  await page.waitForURL(/by=provider/)
  const other = (await api(scene.full, 'GET', '/accounts')).items.find((a) => a.id !== operator)
  await page.getByLabel('Account', { exact: true }).selectOption(other.id)
  await page.waitForURL(new RegExp(`/accounts/${other.id}\\?by=provider`))
  await page.getByRole('heading', { name: other.name || 'empty@example.com' }).waitFor()
  await sound(page)
  await close(page)
})
