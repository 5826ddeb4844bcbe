// The cases of the suite with OpenAI's own library, in any version.
import { z } from 'zod';

const Weather = z.object({ city: z.string(), degrees: z.number() });

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

const ask = (c) => ({
  model: c.model,
  messages: [{ role: 'user', content: c.prompt }],
  ...(c.tools && { tools }),
  ...(c.orphans && { tools: [], tool_choice: 'auto', parallel_tool_calls: true, functions: [], stop: null }),
});

const shown = (completion) => {
  const { message, finish_reason } = completion.choices[0];
  return {
    id: completion._request_id,
    role: message.role,
    text: message.content ?? '',
    finish: finish_reason,
    tokens: completion.usage?.total_tokens,
    calls: message.tool_calls?.map((t) => ({
      id: t.id,
      type: t.type,
      name: t.function.name,
      args: JSON.parse(t.function.arguments),
    })),
    parsed: message.parsed ?? undefined,
  };
};

// fold adds a chunk like a simple program that trusts every field.
function fold(seen, chunk) {
  const choice = chunk.choices[0];
  seen.role = choice.delta.role ?? seen.role;
  seen.text += choice.delta.content ?? '';
  seen.finish = choice.finish_reason ?? seen.finish;
  for (const t of choice.delta.tool_calls ?? []) {
    const call = (seen.calls[t.index] ??= { id: '', type: '', name: '', args: '' });
    call.id += t.id ?? '';
    call.type += t.type ?? '';
    call.name += t.function?.name ?? '';
    call.args += t.function?.arguments ?? '';
  }
}

export function bind(OpenAI, zodResponseFormat) {
  const open = ({ baseURL, apiKey, headers }) => {
    const client = new OpenAI({ baseURL, apiKey, defaultHeaders: headers });
    const chat = client.chat.completions;
    return {
      chat: async (c) => shown(await chat.create(ask(c))),
      async stream(c) {
        const seen = { text: '', calls: [] };
        try {
          for await (const chunk of await chat.create({ ...ask(c), stream: true })) fold(seen, chunk);
        } catch (err) {
          return { text: seen.text, error: failure(err) };
        }
        return { ...seen, calls: seen.calls.map((t) => ({ ...t, args: JSON.parse(t.args) })) };
      },
      helper: async (c) =>
        shown(await chat.stream({ ...ask(c), stream_options: { include_usage: true } }).finalChatCompletion()),
      parse: async (c) =>
        shown(await chat.parse({ ...ask(c), response_format: zodResponseFormat(Weather, 'weather') })),
      async embed(c) {
        const { data, usage } = await client.embeddings.create({ model: c.model, input: [c.prompt, 'b'] });
        return { vectors: data.map((d) => Array.from(d.embedding)), tokens: usage.total_tokens };
      },
      async models() {
        const names = [];
        for await (const model of client.models.list()) names.push(model.id);
        return { models: names };
      },
      model: async (c) => ({ models: [(await client.models.retrieve(c.model)).id] }),
    };
  };
  const failure = (err) => ({
    class: err.constructor.name,
    status: err.status,
    code: err.code,
    header: err.headers?.get('x-error-code'),
    message: err.message,
  });
  return { open, failure };
}
