import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { buildCode, toPython } from '../src/pages/playground/code'
import { bodyFor, changeDraft, draft, editWhole, parseDraft } from '../src/pages/playground/draft'
import { addEvent, emptyOutput, errorText, EventReader, readWhole } from '../src/pages/playground/events'

const read = (...events) => {
  const o = emptyOutput()
  for (const e of events) addEvent(o, typeof e === 'string' ? e : JSON.stringify(e))
  return o
}

test('events are cut at lines, wherever a piece ends', () => {
  const reader = new EventReader()
  assert.deepEqual(reader.push('data: {"a":'), [])
  assert.deepEqual(reader.push('1}\r\n\r\nevent: x\nda'), ['{"a":1}'])
  assert.deepEqual(reader.push('ta: [DONE]\n\n: ping\n'), ['[DONE]'])
})

test('chat events become text, thinking and tool calls', () => {
  const delta = (d) => ({ choices: [{ delta: d }] })
  assert.deepEqual(
    read(delta({ role: 'assistant', content: '' }), delta({ content: 'Hel' }), delta({ content: 'lo', reasoning_content: 'hm' }),
      delta({ tool_calls: [{ index: 0, function: { name: 'find', arguments: '{"a"' } }] }), delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }), 'not json', '[DONE]'),
    { text: 'Hello', thinking: 'hm', calls: [{ name: 'find', arguments: '{"a":1}' }], error: '' },
  )
})

test('events of the other protocols become the same', () => {
  assert.deepEqual(
    read({ type: 'content_block_delta', delta: { text: 'Hi' } }, { type: 'content_block_start', content_block: { type: 'tool_use', name: 'find' } }, { type: 'content_block_delta', delta: { partial_json: '{}' } }),
    { text: 'Hi', thinking: '', calls: [{ name: 'find', arguments: '{}' }], error: '' },
  )
  assert.equal(read({ type: 'response.output_text.delta', delta: 'Hi' }).text, 'Hi')
})

test('an error in a stream is kept, in our words or those of a vendor', () => {
  assert.equal(read({ error: 'the provider broke off', code: 'X' }).error, 'the provider broke off')
  assert.equal(errorText({ error: { message: 'overloaded' } }), 'overloaded')
  assert.equal(errorText({}), 'The request failed.')
})

test('whole responses of every protocol are read', () => {
  assert.equal(readWhole({ choices: [{ message: { content: 'a' } }] }).text, 'a')
  assert.equal(readWhole({ content: [{ type: 'text', text: 'b' }] }).text, 'b')
  assert.equal(readWhole({ output: [{ type: 'message', content: [{ text: 'c' }] }] }).text, 'c')
})

test('a prompt becomes a body, and the whole body starts with it', () => {
  assert.equal(parseDraft(draft.value).problem, 'Write a prompt.')
  changeDraft({ prompt: 'Hi', system: 'Be kind', image: 'data:image/png;base64,AA' })
  const { body } = parseDraft(draft.value)
  assert.deepEqual(body.messages.map((m) => m.role), ['system', 'user'])
  assert.equal(body.messages[1].content[1].image_url.url, 'data:image/png;base64,AA')
  editWhole(true)
  assert.deepEqual(parseDraft(draft.value).body, body)
  changeDraft({ body: '{"messages": [' })
  assert.match(parseDraft(draft.value).problem, /^The body is not valid JSON/)
  changeDraft({ body: '[]' })
  assert.equal(parseDraft(draft.value).problem, 'The body must be a JSON object.')
  assert.deepEqual(bodyFor({ model: 'x', stream: false }, 'auto'), { model: 'auto', stream: false })
  assert.deepEqual(bodyFor({}, 'auto'), { stream: true, model: 'auto' })
})

test('code contains the request and never a key', () => {
  const body = { model: 'auto', stream: true, messages: [{ role: 'user', content: "it's `x`" }], tools: [], top_p: null, logprobs: false }
  const [curl, python, node, go] = buildCode('http://h/proxy/v1', 'chat', body).map((c) => c.text)
  assert.match(curl, /http:\/\/h\/proxy\/v1\/chat\/completions/)
  assert.match(curl, /it'\\''s/)
  assert.match(python, /chat\.completions\.create\(\n {4}model="auto",/)
  assert.match(python, /top_p=None/)
  assert.match(node, /for await/)
  assert.match(go, /body := "\{/)
  for (const text of [curl, python, node, go]) assert.match(text, /SIGNALBOX_KEY/)
  assert.equal(toPython([true, { a: [] }], 0), '[\n    True,\n    {\n        "a": [],\n    },\n]')
  assert.match(buildCode('http://h/proxy/v1', 'messages', body)[1].text, /base_url="http:\/\/h\/proxy"/)
})
