// The timeline of a session, and links between sessions and requests.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import './browser.mjs'
import { mount } from './mount.mjs'
import { render, textOf } from './render.mjs'
import { columns } from '../src/pages/requests/columns'
import { Summary, TurnRow } from '../src/pages/sessions/session'
import { SessionTable } from '../src/pages/sessions/sessionlist'
import { findGrouping, groupRequestsURL } from '../src/pages/impact/groups'
import { withQuery } from '../src/pages/sessions/links'
import { namedUsers } from '../src/pages/sessions/users'
import { formatSpan } from '../src/pages/sessions/span'
import { buildTurns, summarizeTurns } from '../src/pages/sessions/turns'
import { useFixedRange } from '../src/range'
import { sessionURL } from '../src/requestlinks'
import { decodePath, setParams } from '../src/router'

const request = (model, cost, change = {}) => ({
  id: model + cost, model, provider: 'alpha', side_call: false, outcome: 'ok', cost_nano_usd: cost, tokens: { input: 10, cache_read: 30, cache_write: 0, output: 5 }, ...change,
})

test('turns are numbered without side calls, and costs add up', () => {
  const turns = buildTurns([request('small', 100), request('tiny', 1, { side_call: true }), request('small', null), request('large', 400n)])
  assert.deepEqual(turns.map((t) => t.number), [1, null, 2, 3])
  assert.deepEqual(turns.map((t) => t.total), [100n, 101n, 101n, 501n])
  assert.deepEqual(turns.map((t) => t.share), [0.25, 0.0025, 0, 1])
  assert.equal(turns[0].cached, 75)
  assert.equal(buildTurns([request('small', 1, { tokens: { input: 0, cache_read: 0, cache_write: 0, output: 0 } })])[0].cached, null)
})

test('a change of the model is marked, and a side call changes nothing', () => {
  const changes = (all) => buildTurns(all).map((t) => t.changedFrom && `${t.changedFrom.model}@${t.changedFrom.provider}`)
  assert.deepEqual(changes([request('small', 1), request('tiny', 2, { side_call: true }), request('small', 3), request('large', 4), request('large', 5)]), [null, null, null, 'small@alpha', null])
  assert.deepEqual(changes([request('small', 1), request('small', 2, { provider: 'beta' })]), [null, 'small@alpha'])
  assert.deepEqual(changes([request('small', 1), request(null, 0, { outcome: 'rejected' }), request('small', 2)]), [null, null, null], 'a failed turn is no change')
})

test('a sentence describes the costs', () => {
  const write = (n) => `$${n}`
  assert.equal(summarizeTurns(buildTurns([request('small', 1), request('large', 9)]), write), 'The most expensive request was turn 2 with $9. The model changed 1 time, at turn 2.')
  assert.equal(summarizeTurns(buildTurns([request('small', 5, { side_call: true }), request('small', 1)]), write), 'The most expensive request was a side call with $5. The model never changed.')
  assert.equal(summarizeTurns(buildTurns([request('small', null)]), write), 'No request has a known cost.')
})

test('any session id survives its URL', () => {
  for (const id of ['plain', 'a/b', 'a b?c#d%2F', 'é"']) assert.equal(decodePath(sessionURL(id).slice('/sessions/'.length)), id)
  assert.equal(decodePath('100%'), '100%')
  assert.equal(withQuery('/sessions', { cursor: 'a&b' }), '/sessions?cursor=a%26b')
  assert.equal(withQuery('/sessions?limit=2', { cursor: 'x' }), '/sessions?limit=2&cursor=x')
})

test('the length of a session is readable', () => {
  const span = (ms) => formatSpan({ started: new Date(0).toISOString(), ended: new Date(ms).toISOString() })
  assert.equal(span(90 * 60_000), '90 min')
  assert.equal(span(150 * 60_000), '2 h 30 min')
})

test('savings can be grouped by what clients send', () => {
  const url = (by, group) => groupRequestsURL({ group }, findGrouping(by), {}, { filter: '', range: '7d' })
  assert.equal(url('session', 's 1'), '/requests?q=session%3A%22s+1%22&range=7d')
  assert.equal(url('tag', null), '/requests?q=-tag%3A*&range=7d')
  assert.equal(url('meta.team', 'search'), '/requests?q=meta.team%3Asearch&range=7d')
  assert.equal(findGrouping('meta.').by, 'model')
  assert.equal(findGrouping(null).by, 'model')
})

test('the range of a list stays the same while more of it is loaded', () => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 17, 12) })
  let range
  const list = mount(() => (range = useFixedRange('7d')))
  const first = range
  mock.timers.tick(61_000)
  list.update()
  assert.equal(range, first)
  setParams({ range: '1h' })
  list.update()
  assert.equal(range.from, '2026-11-17T11:02:00.000Z')
  list.unmount()
  mock.timers.reset()
})

test('a turn shows the same amounts as the request list', () => {
  const r = request('small', 59_600, { baseline: { cost_nano_usd: 500_100 }, saved_nano_usd: 440_500, time: '2026-11-14T12:00:00Z', reason: { text: '' }, requested_model: 'auto', attempts: [] })
  const [turn] = buildTurns([r])
  for (const id of ['routed', 'saved']) {
    const amount = textOf(columns.find((c) => c.id === id).render(r))
    assert.match(amount, /^[+−]?\$0\.000\d+$/)
    assert.ok(render(TurnRow({ t: turn })).includes(render(columns.find((c) => c.id === id).render(r))), `${id}: ${amount}`)
  }
})

test('the list of sessions says that it shows the last user', () => {
  assert.match(textOf(SessionTable({ sessions: [] })), /ClientLast user/)
})

test('a session names all of its users, the last one first', () => {
  const users = namedUsers({ user: 'ben' }, [request('small', 1, { user: 'ana' }), request('small', 1, { user: null }), request('small', 1, { user: 'ben' })])
  assert.deepEqual(users, ['ben', 'ana'])
  const s = { id: 's', user: 'ben', agent: null, started: '2026-01-01T00:00:00Z', ended: '2026-01-01T00:01:00Z', turns: 3, side_calls: 0, errors: 0, unpriced: 0, cost_nano_usd: 3, saved_nano_usd: 0, cache_hit_percent: null }
  assert.match(textOf(Summary({ s, users, complete: true })), /Usersben, anaTime/)
  assert.match(textOf(Summary({ s, users, complete: false })), /Usersben, ana in the requests loaded below/)
  assert.match(textOf(Summary({ s, users: ['ben'], complete: false })), /UserbenTime/)
  assert.match(textOf(Summary({ s, users: [], complete: true })), /UserNot named by the client/)
})
