// The page of a request: the curl command and the reasons for an estimated cost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { boot } from '../src/boot'
import { buildCurlCommand } from '../src/pages/request/curl'
import { describeEstimate } from '../src/pages/request/estimate'
import { describeEvidence, ownRating, sourceName } from '../src/pages/request/evidence'

const detail = { requested_model: 'auto', endpoint: 'chat', protocol: 'chat', stream: false, request: null, request_bytes: null }

test('the curl command uses the path and an example of the protocol', () => {
  boot.base_url = 'http://h/proxy/v1'
  for (const [request, url, body] of [
    [{}, '/v1/chat/completions', '{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}'],
    [{ endpoint: 'embeddings' }, '/v1/embeddings', '{"model":"auto","input":"Say hello"}'],
    [{ protocol: 'messages' }, '/v1/messages', '{"model":"auto","max_tokens":100,"messages":[{"role":"user","content":"Say hello"}]}'],
    [{ protocol: 'responses' }, '/v1/responses', '{"model":"auto","input":"Say hello"}'],
    [{ protocol: 'gemini' }, '/v1beta/models/auto:generateContent', '{"contents":[{"role":"user","parts":[{"text":"Say hello"}]}]}'],
    [{ protocol: 'gemini', stream: true, requested_model: 'a/b' }, '/v1beta/models/a%2Fb:streamGenerateContent?alt=sse', '{"contents":[{"role":"user","parts":[{"text":"Say hello"}]}]}'],
    [{ protocol: 'gemini', endpoint: 'embeddings' }, '/v1beta/models/auto:embedContent', '{"content":{"parts":[{"text":"Say hello"}]}}'],
    [{ protocol: 'gemini', endpoint: 'embeddings', request: '{"requests":[]}', request_bytes: 15 }, '/v1beta/models/auto:batchEmbedContents', '{"requests":[]}'],
    [{ protocol: 'messages', request: "it's", request_bytes: 4 }, '/v1/messages', `it'\\''s`],
  ]) {
    assert.equal(buildCurlCommand({ ...detail, ...request }), `curl 'http://h/proxy${url}' -H "Authorization: Bearer $SIGNALBOX_KEY" -H 'Content-Type: application/json' -d '${body}'`)
  }
})

test('an estimated cost says why', () => {
  const describe = (...attempts) => describeEstimate({ cost_basis: 'estimated', attempts })
  const final = { cost_basis: 'final', unpriced: [] }
  const search = { cost_basis: 'estimated', unpriced: ['web_search'] }
  const unreported = { cost_basis: 'estimated', unpriced: [] }
  assert.equal(describeEstimate({ cost_basis: 'final', attempts: [final] }), '')
  assert.equal(describe(final, search), ' (estimated: web_search has no price in the catalog)')
  assert.equal(describe(search, { cost_basis: 'estimated', unpriced: ['web_search', 'speed'] }), ' (estimated: web_search, speed have no price in the catalog)')
  assert.equal(describe(unreported), ' (estimated: the usage of an attempt was not fully reported)')
  assert.equal(describe(search, unreported), ' (estimated: web_search has no price in the catalog; the usage of an attempt was not fully reported)')
  assert.equal(describe(), ' (estimated: the usage of an attempt was not fully reported)')
})

test('evidence names its source and what was observed', () => {
  const feedback = (source, score) => ({ kind: 'feedback', source, score, weight: 1, reason: null, created: '' })
  const signal = { kind: 'invalid_json', source: 'signal:invalid_json', score: 0, weight: 1, reason: null, created: '' }
  assert.deepEqual([feedback('x', 1), feedback('x', 0), feedback('x', 0.25), signal, { ...signal, kind: 'later' }].map(describeEvidence),
    ['Good', 'Bad', 'Score 0.25', 'Not the requested JSON', 'later'])
  assert.deepEqual([feedback('survey', 1), feedback('dashboard:ann@example.com', 1), signal].map(sourceName), ['survey', 'ann@example.com', 'Signal'])
  const all = [signal, feedback('ann@example.com', 1), feedback('dashboard:ann@example.com', 0)]
  assert.equal(ownRating(all, 'ann@example.com'), all[2])
  assert.equal(ownRating(all, 'bob@example.com'), undefined)
})
