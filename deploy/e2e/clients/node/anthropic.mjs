// Anthropic's own library.
import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod/v4';
import { pixel, toolNames, toolResults, toolSchema } from './sdk.mjs';

const Weather = z.object({ city: z.string(), degrees: z.number() });

const tools = toolNames.map((name) => ({ name, input_schema: toolSchema }));

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };

const ask = (c) => ({
  model: c.model,
  max_tokens: c.max_tokens,
  messages: [{ role: 'user', content: [{ type: 'text', text: c.prompt }, ...(c.image ? [image] : [])] }],
  ...(c.tools && { tools }),
  ...(c.think && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
});

const calls = (message) => message.content.filter((b) => b.type === 'tool_use');

const shown = (message) => ({
  id: message._request_id,
  role: message.role,
  text: message.content.map((b) => b.text ?? '').join(''),
  thinking: message.content.map((b) => b.thinking ?? '').join(''),
  finish: message.stop_reason,
  input: message.usage.input_tokens,
  output: message.usage.output_tokens,
  calls: calls(message).map((b) => ({ id: b.id, name: b.name, args: b.input })),
});

const results = (message) => ({
  role: 'user',
  content: calls(message).map((b) => ({ type: 'tool_result', tool_use_id: b.id, content: toolResults[b.name] })),
});

async function converse(c, send) {
  const params = ask(c);
  const message = await send(params);
  const seen = shown(message);
  if (c.again) {
    params.messages.push({ role: 'assistant', content: message.content }, results(message));
    seen.then = shown(await send(params)).text;
  }
  return seen;
}

export function open({ baseURL, apiKey, headers }) {
  const client = new Anthropic({ baseURL, apiKey, defaultHeaders: headers });
  return {
    create: (c) => converse(c, (params) => client.messages.create(params)),
    async stream(c) {
      let text = '';
      const send = async (params) => {
        const stream = client.messages.stream(params).on('text', (delta) => (text += delta));
        return Object.assign(await stream.finalMessage(), { _request_id: stream.request_id });
      };
      try {
        return await converse(c, send);
      } catch (err) {
        return { text, error: failure(err) };
      }
    },
    async parse(c) {
      const message = await client.messages.parse({ ...ask(c), output_config: { format: zodOutputFormat(Weather) } });
      return { ...shown(message), parsed: message.parsed_output };
    },
    async count(c) {
      const { model, messages } = ask(c);
      return { input: (await client.messages.countTokens({ model, messages })).input_tokens };
    },
    async cancel(c) {
      const stream = client.messages.stream(ask(c));
      for await (const event of stream) {
        if (event.delta?.text) {
          stream.abort();
          return { id: stream.request_id, text: event.delta.text };
        }
      }
    },
  };
}

export const failure = (err) => ({
  id: err.requestID ?? undefined,
  class: err.constructor.name,
  status: err.status,
  code: err.error?.code,
  header: err.headers?.get('x-error-code') ?? undefined,
  message: err.message,
});
