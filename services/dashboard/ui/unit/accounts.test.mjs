// The order of the list of accounts.
import './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageTitle } from '../src/nav'
import { accountURL, selectAccounts } from '../src/pages/accounts/account'

const account = (id, name, day, month, created_at) => ({ id, name, created_at, spent: { day: { nano_usd: day }, month: { nano_usd: month } } })
const all = [account('1', 'beta', 9, 10n ** 19n, '2026-11-02'), account('2', 'Alpha', 1, 30, '2026-11-01'), account('3', 'gamma', 5, 5, null)]
const ids = (text, sort) => selectAccounts(all, text, sort).map((a) => a.id)

test('accounts are searched and sorted', () => {
  assert.deepEqual(ids('', 'month'), ['1', '2', '3'])
  assert.deepEqual(ids('', 'day'), ['1', '3', '2'])
  assert.deepEqual(ids('', 'name'), ['2', '1', '3'])
  assert.deepEqual(ids('', 'created'), ['1', '2', '3'])
  assert.deepEqual(ids('', 'nonsense'), ['1', '2', '3'], 'the default')
  assert.deepEqual(ids(' ALPHA ', 'month'), ['2'])
  assert.deepEqual(ids('3', 'month'), ['3'], 'by id')
  assert.deepEqual(ids('none', 'month'), [])
})

test('an id is escaped in the address', () => assert.equal(accountURL('a/b'), '/accounts/a%2Fb'))

test('the list of all accounts and the own account differ at a glance', () => {
  assert.equal(pageTitle('/accounts'), 'All accounts · Signalbox')
  assert.equal(pageTitle('/account'), 'Account · Signalbox')
  assert.equal(pageTitle('/accounts/acc_1'), 'Account acc_1 · Signalbox')
})
