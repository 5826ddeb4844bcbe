import assert from 'node:assert/strict'
import { afterEach, mock, test } from 'node:test'
import { jsonResponse, settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { ApiError, callApi, clearCache, invalidate, parseJSON, useApi, useApiWithPrevious } from '../src/api'

/** The running calls, oldest first. Each test responds to them. */
const calls = []
globalThis.fetch = (url, init) => new Promise((resolve, reject) => calls.push({ url, init, fail: reject, respond: (body, status = 200) => resolve(jsonResponse(body, status)) }))

let page
function show(hook) {
  let state
  page = mount(() => (state = hook()))
  return () => state
}
afterEach(() => { page?.unmount(); page = undefined; clearCache(); calls.length = 0 })

test('a slow response does not replace that of a later call', async () => {
  const state = show(() => useApi('/models'))
  await settle()
  state().reload()
  assert.equal(calls[0].init.signal.aborted, true, 'the earlier call is aborted')
  calls[1].respond('new')
  await settle()
  calls[0].respond('old')
  await settle()
  assert.equal(state().data, 'new')
  assert.equal(state().loading, false)
})

test('a slow error does not replace the response of a later call', async () => {
  const state = show(() => useApi('/models'))
  await settle()
  state().reload()
  calls[1].respond('new')
  await settle()
  calls[0].fail(new TypeError('network'))
  await settle()
  assert.deepEqual([state().data, state().error], ['new', undefined])
})

test('a transient error is retried after five seconds, another error is not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const state = show(() => useApi('/models'))
  await settle()
  calls[0].respond({ error: 'the store does not respond', code: 'STORE_UNAVAILABLE', details: {} }, 503)
  await settle()
  assert.deepEqual([state().error.message, state().error.code, state().error.requestId], ['The store does not respond', 'STORE_UNAVAILABLE', 'req-1'])
  mock.timers.tick(5000)
  assert.equal(calls.length, 2)
  calls[1].respond({ error: 'too many searches are running', code: 'CONCURRENCY_LIMIT_EXCEEDED' }, 429)
  await settle()
  mock.timers.tick(5000)
  assert.equal(calls.length, 3)
  calls[2].respond({ error: 'no', code: 'NOT_FOUND' }, 404)
  await settle()
  mock.timers.tick(60_000)
  assert.equal(calls.length, 3)
  mock.timers.reset()
})

test('previous data stays while another URL loads, but not behind a final error', async () => {
  let path = '/a'
  const state = show(() => useApiWithPrevious(path))
  await settle()
  calls[0].respond('of a')
  await settle()
  path = '/b'
  page.update()
  await settle()
  assert.deepEqual([state().data, state().loading], ['of a', true])
  calls[1].respond({ error: 'no', code: 'NOT_FOUND' }, 404)
  await settle()
  assert.deepEqual([state().data, state().error.code], [undefined, 'NOT_FOUND'])
})

test('a change reloads what is shown and drops what is not', async () => {
  const state = show(() => useApi('/keys'))
  await settle()
  calls[0].respond('before')
  await settle()
  invalidate('/keys')
  calls[1].respond('after')
  await settle()
  assert.equal(state().data, 'after')
  page.unmount()
  page = undefined
  invalidate('/keys')
  assert.equal(calls.length, 2)
})

test('an expired session leads to the sign-in page and back', async () => {
  Object.assign(location, { pathname: '/requests', search: '?q=model:a' })
  const call = callApi('GET', '/keys')
  calls[0].respond({ error: 'sign in first', code: 'SESSION_REQUIRED' }, 401)
  await assert.rejects(call, (e) => e instanceof ApiError && e.status === 401 && !e.isTransient)
  assert.equal(location.assigned, '/login?next=%2Frequests%3Fq%3Dmodel%3Aa')
})

test('a response that is not JSON is an error with the request id', async () => {
  const call = callApi('POST', '/keys', { name: 'a' })
  assert.deepEqual([calls[0].init.method, calls[0].init.body], ['POST', '{"name":"a"}'])
  calls[0].respond(undefined, 502)
  await assert.rejects(call, { code: 'UNEXPECTED_RESPONSE', status: 502, requestId: 'req-1' })
})

/** Browsers give a reviver the source of every number. Node does so from version 21 on. */
function withSources(run) {
  const parse = JSON.parse
  if (parse('1', (_, v, context) => context?.source) === '1') return run()
  JSON.parse = (text, reviver) => parse(text, function (key, value) { return reviver.call(this, key, value, { source: new RegExp(`"${key}":(-?\\d+)`).exec(text)?.[1] }) })
  try { return run() } finally { JSON.parse = parse }
}

test('an amount that a number cannot hold exactly stays exact', () => withSources(() => {
  const { cost_nano_usd, saved_nano_usd, nano_usd, latency_us } = parseJSON('{"cost_nano_usd":9007199254740993,"saved_nano_usd":-9223372036854775808,"nano_usd":5,"latency_us":9007199254740993}')
  assert.deepEqual([cost_nano_usd, saved_nano_usd, nano_usd], [9007199254740993n, -9223372036854775808n, 5])
  assert.equal(typeof latency_us, 'number', 'only amounts become bigints')
}))

test('who waits for invalidate sees the new data, and an error ends the wait, too', async () => {
  const state = show(() => useApi('/alerts'))
  await settle()
  calls[0].respond('old')
  await settle()
  for (const [respond, data] of [[() => calls[1].respond('new'), 'new'], [() => calls[2].fail(new TypeError('network')), 'new']]) {
    let seen
    const waiting = invalidate('/alerts').then(() => (seen = state().data))
    await settle()
    assert.equal(seen, undefined)
    respond()
    await waiting
    assert.equal(seen, data)
  }
})
