// The client program and the protocol of a request: columns, groups and links.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { groupRequestsURL, groupings } from '../src/pages/impact/groups'
import { sameRequestsURL } from '../src/pages/request/client'
import { columns, defaultColumns } from '../src/pages/requests/columns'

const claude = { agent: 'claude-code', protocol: 'messages' }
const unknown = { agent: null, protocol: 'chat' }

test('the list has columns for client and protocol, which are hidden by default', () => {
  const show = (id, r) => columns.find((c) => c.id === id).render(r)
  assert.deepEqual(['agent', 'protocol'].map((id) => show(id, claude)), ['claude-code', 'messages'])
  assert.deepEqual(['agent', 'protocol'].map((id) => show(id, unknown)), ['', 'chat'])
  assert.equal(defaultColumns.some((id) => id === 'agent' || id === 'protocol'), false)
})

test('client and protocol of a request link to the requests with the same value', () => {
  assert.equal(sameRequestsURL(claude, 'agent'), '/requests?q=agent%3Aclaude-code')
  assert.equal(sameRequestsURL(claude, 'protocol'), '/requests?q=protocol%3Amessages')
  assert.equal(sameRequestsURL(unknown, 'agent'), '/requests?q=-agent%3A*')
  assert.equal(sameRequestsURL({ ...claude, agent: 'a"b' }, 'agent'), null, 'no filter can express it')
})

test('savings can be grouped by client and by protocol', () => {
  const url = (by, group) => groupRequestsURL({ group }, groupings.find((g) => g.by === by), {}, { filter: 'stream:true', range: '7d' })
  assert.equal(url('agent', 'codex'), '/requests?q=stream%3Atrue+agent%3Acodex&range=7d')
  assert.equal(url('agent', null), '/requests?q=stream%3Atrue+-agent%3A*&range=7d')
  assert.equal(url('protocol', 'gemini'), '/requests?q=stream%3Atrue+protocol%3Agemini&range=7d')
})
