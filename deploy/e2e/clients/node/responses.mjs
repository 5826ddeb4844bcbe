// OpenAI's own library with the Responses API.
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { pixel, toolNames, toolResults, toolSchema } from './sdk.mjs';

const Weather = z.object({ city: z.string(), degrees: z.number() });

const tools = toolNames.map((name) => ({ type: 'function', name, parameters: toolSchema, strict: false }));

const image = { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' };

const ask = (c) => ({
  model: c.model,
  max_output_tokens: c.max_tokens,
  input: [{ role: 'user', content: [{ type: 'input_text', text: c.prompt }, ...(c.image ? [image] : [])] }],
  store: false,
  include: ['reasoning.encrypted_content'],
  ...(c.tools && { tools }),
  ...(c.think && { reasoning: { effort: 'low', summary: 'auto' } }),
});

const calls = (response) => response.output.filter((item) => item.type === 'function_call');

const shown = (response) => ({
  id: response._request_id,
  text: response.output_text,
  thinking: response.output.flatMap((item) => item.summary ?? []).map((part) => part.text).join(''),
  finish: response.status,
  input: response.usage.input_tokens,
  output: response.usage.output_tokens,
  calls: calls(response).map((t) => ({ id: t.call_id, name: t.name, args: JSON.parse(t.arguments) })),
});

const results = (response) =>
  calls(response).map((t) => ({ type: 'function_call_output', call_id: t.call_id, output: toolResults[t.name] }));

// asInput removes what the library adds to items of a stream, because OpenAI rejects it.
const asInput = ({ parsed_arguments, ...item }) => item;

async function converse(c, send) {
  const params = ask(c);
  const response = await send(params);
  const seen = shown(response);
  if (c.again) {
    params.input.push(...response.output.map(asInput), ...results(response));
    seen.then = shown(await send(params)).text;
  }
  return seen;
}

// FailedResponse is a response with the status failed, which the library does not turn into
// an error.
class FailedResponse extends Error {
  constructor({ response, code }) {
    super(response.error.message);
    this.code = code;
  }
}

export function open({ baseURL, apiKey, headers }) {
  const client = new OpenAI({ baseURL, apiKey, defaultHeaders: headers });
  return {
    create: (c) => converse(c, (params) => client.responses.create(params)),
    async stream(c) {
      let text = '';
      const send = async (params) => {
        const stream = client.responses.stream(params);
        for await (const event of stream) {
          if (event.type === 'response.output_text.delta') text += event.delta;
          if (event.type === 'response.failed') throw new FailedResponse(event);
        }
        return stream.finalResponse();
      };
      try {
        return await converse(c, send);
      } catch (err) {
        return { text, error: failure(err) };
      }
    },
    async parse(c) {
      const response = await client.responses.parse({ ...ask(c), text: { format: zodTextFormat(Weather, 'weather') } });
      return { ...shown(response), parsed: response.output_parsed };
    },
    async cancel(c) {
      const { data, response } = await client.responses.create({ ...ask(c), stream: true }).withResponse();
      for await (const event of data) {
        if (event.type === 'response.output_text.delta') {
          data.controller.abort();
          return { id: response.headers.get('x-request-id'), text: event.delta };
        }
      }
    },
  };
}

export const failure = (err) => ({
  id: err.requestID ?? undefined,
  class: err.constructor.name,
  status: err.status,
  code: err.code,
  header: err.headers?.get('x-error-code') ?? undefined,
  message: err.message,
});
