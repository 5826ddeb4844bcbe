// What the page of a request says about failures, rejections and clients that disconnect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render, textOf } from './render.mjs'
import { RouteChip, routeKind } from '../src/components/route'
import { Client, urlOf } from '../src/pages/request/client'
import { Content } from '../src/pages/request/content'
import { Cost } from '../src/pages/request/cost'
import { Decision } from '../src/pages/request/decision'
import { summarizeRequest } from '../src/pages/request/summary'
import { timeTicks } from '../src/pages/request/ticks'
import { Timeline } from '../src/pages/request/timeline'
import { columns } from '../src/pages/requests/columns'

const tokens = { input: 10, cache_read: 0, cache_write: 0, cache_write_1h: 0, output: 5, reasoning: 0 }
const attempt = { provider: 'p', model: 'm', status: 200, code: null, started_us: 100, first_token_us: 200, ended_us: 252_100, cost_nano_usd: 300, tokens, price: null, costs: null, reported_nano_usd: null, usage_difference: 0, dropped_params: [], cost_basis: 'final', unpriced: [] }
const request = {
  id: 'id', stream: true, requested_model: 'auto', model: 'm', provider: 'p', route: 'expected', outcome: 'ok', status: 200, code: null, error: null, reason: { code: 'CHEAPEST', text: 'the cheapest' },
  tokens, cost_nano_usd: 300, cost_basis: 'final', baseline: { model: 'big', cost_nano_usd: 900, price: null, costs: null }, saved_nano_usd: 600,
  latency_us: 252_200, gateway_us: 100, auth_us: 10, route_us: 20, attempts: [attempt], candidates: [{ model: 'm', provider: 'p', verdict: 'CHOSEN', text: 'First choice', predicted_nano_usd: 1, session_nano_usd: null }], features: {},
  capture: 'full', request: '{}', request_bytes: 2, response: '{"choices":[]}', response_bytes: 14, policy_version: null,
}
const cell = (id, r) => render(columns.find((c) => c.id === id).render(r))

/** A request that failed: what its attempts cost counts against us. */
const failed = (outcome) => ({ ...request, outcome, code: 'PROVIDER_STREAM_INTERRUPTED', error: 'it broke', baseline: { ...request.baseline, cost_nano_usd: 0 }, saved_nano_usd: -300, attempts: [{ ...attempt, code: 'PROVIDER_STREAM_INTERRUPTED' }] })

test('a failed request shows its cost as a loss, never as savings', () => {
  for (const outcome of ['error', 'interrupted', 'aborted']) {
    const r = failed(outcome)
    assert.match(summarizeRequest(r), /It failed, so its cost of \$0\.0000003 reduces the savings\.$/, outcome)
    assert.match(cell('saved', r), /^<span\.money\.lost.*>−/, outcome)
    assert.match(textOf(Cost({ r })), /The request failed, so the cost with the default model is zero: a failure never counts as savings\./, outcome)
    assert.equal(routeKind(r), 'error', outcome)
  }
  assert.match(summarizeRequest(request), /Saved \$0\.0000006 compared with big\.$/)
  assert.match(cell('saved', request), /^<span\.money\.saved/)
  assert.doesNotMatch(textOf(Cost({ r: request })), /failed/)
})

const rejected = { ...request, outcome: 'rejected', route: null, model: null, provider: null, status: 400, code: 'INVALID_REQUEST', error: 'Temperature must be a number.', attempts: [], candidates: [], reason: { code: '', text: '' }, capture: 'none', request: null, request_bytes: null, response: null, response_bytes: null, cost_nano_usd: 0, saved_nano_usd: 0 }

test('a rejected request says why, whatever is captured', () => {
  for (const capture of ['none', 'full', 'redacted', null]) {
    assert.equal(summarizeRequest({ ...rejected, capture }), 'Rejected before a model was called: temperature must be a number.')
  }
  assert.equal(summarizeRequest({ ...rejected, error: null }), 'Rejected before a model was called: INVALID_REQUEST.')
  assert.equal(summarizeRequest({ ...rejected, outcome: 'error', error: 'no provider responded' }), 'Not served: no provider responded.')
})

test('missing content is explained by its cause', () => {
  const text = (more) => textOf(Content({ r: { ...request, ...more } }))
  const nothing = { request: null, request_bytes: null, response: null, response_bytes: null }
  assert.match(text({ ...nothing, outcome: 'rejected', capture: 'full' }), /^The request was rejected before a model was called\. The content of rejected requests is not stored, whatever/)
  assert.match(text({ ...nothing, capture: 'dropped' }), /short of disk space/)
  assert.match(text({ ...nothing, capture: 'none' }), /^No content is stored\. Capture is off/)
  for (const response of [null, '']) {
    const broken = text({ outcome: 'error', code: 'PROVIDER_TIMEOUT', response, response_bytes: 0 })
    assert.match(broken, /There is no response of a model\. The client received the error PROVIDER_TIMEOUT\.$/)
    assert.doesNotMatch(broken, /0 bytes/)
    assert.match(text({ outcome: 'client_closed', response, response_bytes: 0 }), /The client disconnected before the response had any content\.$/)
    assert.match(text({ response, response_bytes: 0 }), /The response has no content\.$/)
  }
})

test('a client that disconnects is no failure', () => {
  const r = { ...request, outcome: 'client_closed', code: 'CLIENT_CANCELLED', error: 'the client closed the connection', attempts: [{ ...attempt, code: 'CLIENT_CANCELLED' }] }
  assert.equal(routeKind(r), 'closed')
  assert.match(render(RouteChip({ kind: routeKind(r) })), /^<span\.chip\.closed>.*Disconnected<\/><\/>$/)
  assert.match(summarizeRequest(r), /^The client disconnected while m at p was responding\. Saved/)
  assert.equal(summarizeRequest({ ...r, model: null, provider: null, attempts: [], saved_nano_usd: 0 }), 'The client disconnected before a response started.')
  const decision = render(Decision({ r }))
  assert.match(decision, /The client disconnected after 252 ms\./)
  assert.doesNotMatch(decision, /lost|CLIENT_CANCELLED/)
  const timeline = render(Timeline({ r }))
  assert.match(timeline, /client disconnected after 252 ms/)
  assert.doesNotMatch(timeline, /span\.bad/)
  assert.doesNotMatch(cell('model', { ...r, model: null }), /lost/)
})

test('a failed attempt is shown as one', () => {
  const r = { ...request, attempts: [{ ...attempt, status: 500, code: 'PROVIDER_UPSTREAM_ERROR' }] }
  assert.match(render(Decision({ r })), /<div\.lost>Failed after 252 ms: 500 <span\.mono>PROVIDER_UPSTREAM_ERROR/)
  assert.match(render(Timeline({ r })), /span\.bad/)
  assert.match(summarizeRequest({ ...r, attempts: [...r.attempts, attempt] }), /^m at p returned 500 after 252 ms\. m at p responded in 252 ms/)
})

const explanation = {
  reasons: [{ text: 'competition mathematics', effect: 'harder' }, { text: 'grade-school mathematics', effect: 'neutral' }],
  guard: { state: 'inside', text: 'Inside what the predictor was trained on.' },
  signals: [{ name: 'Language', text: 'English', features: ['language'] }, { name: 'Task', text: 'fix, explain', features: ['task_fix', 'task_explain'] }],
}

test('a decision says in words what was predicted, and why', () => {
  const candidate = { ...request.candidates[0], quality: 852, quality_low: 790, quality_high: 914, output_tokens: 1024, latency_us: 310_000 }
  const rated = { ...candidate, model: 'other', quality: 700, quality_low: null, quality_high: null, latency_us: null }
  const r = { ...request, endpoint: 'chat', explanation, candidates: [candidate, rated, { ...rated, quality: 0 }] }
  const shown = textOf(Decision({ r }))
  for (const words of ['Requestcompetition mathematics (harder), grade-school mathematicsPredictorInside', '0.85', '0.79–0.91', '1,024 tokens', '310 ms', '0.70', 'rating', 'unknown', 'Language English', 'Task fix, explain']) {
    assert.ok(shown.includes(words), `${words} in ${shown}`)
  }
  assert.doesNotMatch(textOf(Decision({ r: { ...r, endpoint: 'embeddings' } })), /Predictor/)
  assert.doesNotMatch(textOf(Decision({ r: { ...r, explanation: null } })), /Predictor|Found in the request/)
})

test('tags and metadata link to the requests with the same value', () => {
  const client = (inputs) => render(Client({ r: { agent: null, protocol: 'chat', session: null, user: null, inputs } }))
  const shown = client({ tags: ['legal'], metadata: { team: 'search', 'od d': 'x', quoted: 'a"b' } })
  assert.match(shown, /Key tags<\/><dd\.line\.signals><a\.chip\.plain><b>legal/)
  assert.match(shown, /<a\.chip\.plain>team <b>search/)
  assert.match(shown, /<span\.chip\.plain>od d <b>x.*<span\.chip\.plain>quoted <b>a"b/, 'no filter can select them')
  assert.equal(urlOf('tag', 'legal'), '/requests?q=tag%3Alegal')
  assert.equal(urlOf('meta.team', 'search'), '/requests?q=meta.team%3Asearch')
  assert.doesNotMatch(client({ tags: [], metadata: {} }), /Key tags|Metadata/)
  assert.doesNotMatch(client(null), /Key tags|Metadata/)
})

test('the axis of the timeline has round numbers', () => {
  for (const [whole, ticks] of [[1, [0, 1]], [7, [0, 2, 4, 6]], [252_200, [0, 100_000, 200_000]], [1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]], [4_900_000, [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]]]) {
    assert.deepEqual(timeTicks(whole), ticks, String(whole))
  }
})

test('attempts are numbered if there are several', () => {
  assert.match(textOf(Timeline({ r: request })), /m @ pfirst token after/)
  assert.doesNotMatch(textOf(Timeline({ r: request })), /1\. m @ p/)
  assert.match(textOf(Timeline({ r: { ...request, attempts: [{ ...attempt, code: 'PROVIDER_TIMEOUT' }, attempt] } })), /1\. m @ p.*2\. m @ p/s)
})

test('a response without a stream has no first token in the timeline', () => {
  const plain = textOf(Timeline({ r: { ...request, stream: false } }))
  assert.match(plain, /m @ pcomplete after 252 ms.*Waiting for the response/s)
  assert.doesNotMatch(plain, /first token|Receiving/)
  assert.match(textOf(Timeline({ r: { ...request, stream: true } })), /Waiting for the first token.*Receiving the response/s)
})

test('the tooltips of long cells have what was cut', () => {
  const title = (id, r) => columns.find((c) => c.id === id).title(r)
  const r = { requested_model: 'auto', model: 'small', effort: '', provider: 'alpha', code: null, key_name: 'k\u202e', tokens: { input: 12_000, cache_read: 400, cache_write: 0, output: 1 } }
  assert.equal(title('tokens', r), '12,400 input tokens, 1 output token')
  assert.equal(title('model', r), 'auto → small @ alpha')
  assert.equal(title('model', { ...r, model: null, code: 'MODEL_NOT_FOUND' }), 'MODEL_NOT_FOUND auto')
  assert.equal(title('key', r), 'k[U+202E]')
})
