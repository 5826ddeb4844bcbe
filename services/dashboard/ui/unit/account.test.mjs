// The audit log's filter, and the list of people.
import './browser.mjs'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedScopes, expiryAfter } from '../src/pages/account/tokenscopes'
import { actionGroups, actionTexts, filterQuery, readFilter } from '../src/pages/account/auditactions'
import { ChangedFields, PolicyVersion } from '../src/pages/account/auditlog'
import { filterUsers, usersCSV } from '../src/pages/account/users'
import { findComparison } from '../src/pages/policy/compare'
import { describeChange } from '../src/pages/policy/types'
import { render, textOf } from './render.mjs'

test('the filter of the address becomes that of the API', () => {
  const f = readFilter(new URLSearchParams('action=key&user=%20ada%20&from=2026-11-01&to=2026-11-30'))
  assert.deepEqual(filterQuery(f), { action: 'key', user: 'ada', from: '2026-11-01', to: '2026-12-01' })
  assert.deepEqual(filterQuery(readFilter(new URLSearchParams())), { action: '', user: '', from: '', to: '' })
  assert.equal(filterQuery({ action: '', user: '', from: '', to: 'soon' }).to, 'soon', 'the server explains what is wrong')
})

test('every action belongs to a group of the filter', () => {
  for (const action of Object.keys(actionTexts)) assert.ok(actionGroups.some((g) => g.value === action.split('.')[0]), action)
})

test('a version of the policy links to its changes', () => {
  const version = 'ab'.repeat(32)
  const entry = (action) => ({ id: 1, action, subject: version, before: null, after: { version, note: 'why' } })
  assert.equal(textOf(ChangedFields({ c: entry('policy.publish') })), 'version abababababab' + 'note why')
  assert.match(render(ChangedFields({ c: entry('policy.rollback') })), /<a\.mono>abababababab</)
  assert.equal(PolicyVersion({ version }).props.href, '/policy?compare=' + version)
  assert.equal(textOf(ChangedFields({ c: entry('rollout.start') })), 'version abababababab' + 'note why')
})

test('the active version is compared with the version before it', () => {
  const all = [{ version: 'c', active: false }, { version: 'b', active: true }, { version: 'a', active: false }]
  assert.deepEqual(['c', 'b', 'a', 'older'].map((v) => findComparison(all, v)), ['c', 'a', 'a', 'older'])
  assert.equal(findComparison([{ version: 'b', active: true }], 'b'), 'b')
  const said = (origin, author = '') => describeChange({ origin, author })
  assert.deepEqual([said('default'), said('file'), said('publish', 'a@b.c'), said('rollback', 'a@b.c'), said('publish')], ['Signalbox generated the policy', 'The policy file changed', 'a@b.c changed the policy', 'a@b.c rolled the policy back', 'The command line changed the policy'])
})

const people = [
  { id: '1', email: 'Ada@example.com', role: 'owner', created_at: '2026-01-01' },
  { id: '2', email: '=bob"@example.com', role: 'viewer', created_at: '2026-01-02' },
]

test('people are found by e-mail address and role', () => {
  const ids = (find, role) => filterUsers(people, find, role).map((p) => p.id).join('')
  assert.equal(ids('', ''), '12')
  assert.equal(ids(' ADA', ''), '1')
  assert.equal(ids('', 'viewer'), '2')
  assert.equal(ids('ada', 'viewer'), '')
})

test('an exported cell is never a formula', () => {
  const lines = usersCSV(people).split('\r\n')
  assert.equal(lines[0], '"id","email","role","joined"')
  assert.equal(lines[2], `"2","'=bob""@example.com","viewer","2026-01-02"`)
})

test('a token gets only scopes that its user can use', () => {
  const scopes = (role, operator) => allowedScopes(role, operator).map(([s]) => s)
  assert.deepEqual(scopes('viewer', true), ['read'])
  assert.deepEqual(scopes('member', true), ['read', 'keys', 'write'])
  assert.deepEqual(scopes('owner', false), ['read', 'keys', 'write'])
  assert.deepEqual(scopes('owner', true), ['read', 'keys', 'write', 'policy'])
  assert.equal(expiryAfter('7', Date.parse('2026-11-01T00:00:00Z')), '2026-11-08T00:00:00.000Z')
})
