// Drives the gateway with the vendor's own client, unmodified but for base URL
// and key. Any deviation throws.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const ask = { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }] };

const { data, response } = await client.chat.completions.create(ask).withResponse();
assert.equal(data.choices[0].message.content, 'Hello from upstream');
assert.equal(response.headers.get('x-signalbox-route'), 'expected');
assert.match(data._request_id, /^[0-9a-f-]{36}$/);

let text = '';
for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
  assert.equal(chunk.usage ?? undefined, undefined);
  text += chunk.choices[0].delta.content ?? '';
}
assert.equal(text, 'Hello from upstream');

// The helper throws unless the first chunk has a role.
const helped = await client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } }).finalChatCompletion();
assert.equal(helped.choices[0].message.role, 'assistant');
assert.equal(helped.choices[0].message.content, 'Hello from upstream');
assert.equal(helped.usage.total_tokens, 18);

// This client asks for base64 and decodes it.
const embedded = await client.embeddings.create({ model: 'auto', input: ['a', 'b'] });
assert.deepEqual(Array.from(embedded.data[0].embedding), [1, 0.125]);
assert.deepEqual(Array.from(embedded.data[1].embedding), [0.5, -0.25]);

const names = [];
for await (const model of client.models.list()) names.push(model.id);
assert.ok(names.includes('auto') && names.includes('small'));

await assert.rejects(client.chat.completions.create({ ...ask, model: 'nope' }), (err) => {
  assert.equal(err.status, 404);
  assert.equal(err.headers.get('x-error-code'), 'MODEL_NOT_FOUND');
  return true;
});
const wrong = new OpenAI({ baseURL, apiKey: 'sbx_live_wrong', maxRetries: 0 });
await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError);

console.log('all good');
