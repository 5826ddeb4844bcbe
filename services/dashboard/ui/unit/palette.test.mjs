import './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDestinations, findSelected, maySearchSessions, selectFirst } from '../src/destinations.ts'

const all = {
  keys: [{ id: 'key_1', name: 'medium-key', prefix: 'sbx_live_ab' }],
  models: [{ id: 'sandbox-medium', name: 'Medium', aliases: [] }, { id: 'other', name: null, aliases: ['mid'] }],
  sessions: [{ id: 'run-3', started: '2026-11-14T12:00:00Z', ended: '2026-11-14T12:05:00Z' }, { id: 'run-31', started: '2026-11-14T12:00:00Z', ended: '2026-11-14T12:05:00Z' }],
}
const search = 'Search requests for '
const find = (text) => findDestinations(text, all).map((d) => d.name).filter((n) => !n.startsWith(search))

test('a session is found by the start of its id, and its requests by the whole id', () => {
  assert.deepEqual(find('run-3'), ['Session run-3', 'Requests of session run-3', 'Session run-31'])
  assert.deepEqual(find('RUN-'), ['Session run-3', 'Session run-31'])
  assert.deepEqual(find('un-3'), [])
  const [page, requests] = findDestinations('run-3', all)
  assert.equal(page.to, '/sessions/run-3')
  const q = new URL(requests.to, 'https://signalbox.test').searchParams
  assert.equal(q.get('q'), 'session:run-3')
  assert.equal(q.get('range'), '2026-11-14T12:00:00.000Z..2026-11-14T12:05:01.000Z')
})

test('a model is found by a part of its name or alias, beside keys', () => {
  assert.deepEqual(find('medium'), ['Model sandbox-medium', 'Key medium-key (sbx_live_ab…)'])
  assert.deepEqual(find('mid'), ['Model other'])
  assert.equal(findDestinations('mid', all)[0].to, '/models?q=other&show=all')
})

test('a page is found by its name and by other words for it', () => {
  assert.deepEqual(find('budget'), ['Account budgets', 'Spend', 'Account limits'])
  assert.deepEqual(find('cost'), ['Spend'])
  assert.deepEqual(find('audit'), ['Audit log'])
  assert.equal(find('').includes('Account budgets'), false)
})

test('sessions are not searched for a pasted key or API token', () => {
  for (const secret of ['sbx_live_abcdefgh', 'sbx_token_abcd', 'SBX_LIVE_AB', 'sbx_']) assert.equal(maySearchSessions(secret), false, secret)
  for (const id of ['run-3', 'sbx', 'sb']) assert.equal(maySearchSessions(id), true, id)
  assert.equal(maySearchSessions('r'), false)
})

test('a pasted key opens its page or the list of keys, and is in no address', () => {
  assert.deepEqual(findDestinations('sbx_live_abcdefgh', all).map((d) => d.to), ['/keys/key_1', '/keys'])
  assert.deepEqual(findDestinations(' SBX_live_other', all).map((d) => d.to), ['/keys'])
})

test('results that load later do not change what is selected', () => {
  const onlyKeys = findDestinations('medium', { ...all, models: [], sessions: [] }), everything = findDestinations('medium', all)
  const selected = selectFirst(onlyKeys)
  assert.equal(onlyKeys[0].to, '/keys/key_1')
  assert.equal(everything[findSelected(everything, selected)].to, '/keys/key_1')
  const last = onlyKeys.at(-1).to
  assert.equal(everything[findSelected(everything, last)].to, last)
})

test('a session that loads later is selected instead of the search for requests', () => {
  const before = findDestinations('run-31', { ...all, sessions: [] }), after = findDestinations('run-31', all)
  assert.equal(after[findSelected(after, selectFirst(before))].to, '/sessions/run-31')
  assert.equal(findSelected([], null), 0)
})

test('operators find how to add a local model', async () => {
  const { boot } = await import('../src/boot.ts')
  const before = boot.operator
  for (const [operator, found] of [[true, ['Add a local model']], [false, []]]) {
    boot.operator = operator
    assert.deepEqual(find('ollama'), found)
  }
  boot.operator = before
})
