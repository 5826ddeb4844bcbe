// LlamaIndex, which uses an older version of OpenAI's library.
import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai';

const tools = [
  {
    metadata: {
      name: 'get_weather',
      description: '',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    call: () => '',
  },
];

const calls = (made) =>
  made?.map((t) => ({ id: t.id, name: t.name, args: typeof t.input === 'string' ? JSON.parse(t.input) : t.input }));

export function open({ baseURL, apiKey, headers }) {
  const ask = (c) => ({ messages: [{ role: 'user', content: c.prompt }], ...(c.tools && { tools }) });
  // The default of ten retries would take too long.
  const model = (c) => new OpenAI({ model: c.model, baseURL, apiKey, maxRetries: 2, additionalSessionOptions: { defaultHeaders: headers } });
  return {
    async chat(c) {
      const { message, raw } = await model(c).chat(ask(c));
      return {
        text: message.content,
        finish: raw.choices[0].finish_reason,
        tokens: raw.usage.total_tokens,
        calls: calls(message.options?.toolCall),
      };
    },
    async stream(c) {
      const seen = { text: '' };
      const made = new Map();
      try {
        for await (const chunk of await model(c).chat({ ...ask(c), stream: true })) {
          seen.text += chunk.delta;
          seen.finish = chunk.raw.choices[0].finish_reason ?? seen.finish;
          // Each chunk contains the tool calls that it changed, with everything received so far.
          for (const t of chunk.options?.toolCall ?? []) made.set(t.id, t);
        }
      } catch (err) {
        return { text: seen.text, error: failure(err) };
      }
      return { ...seen, calls: calls([...made.values()]) };
    },
    embed: async (c) => ({
      vectors: await new OpenAIEmbedding({ model: c.model, baseURL, apiKey }).getTextEmbeddings([c.prompt, 'b']),
    }),
  };
}

export const failure = (err) => ({
  class: err.constructor.name,
  status: err.status,
  code: err.code,
  header: err.headers?.get('x-error-code'),
  message: err.message,
});
