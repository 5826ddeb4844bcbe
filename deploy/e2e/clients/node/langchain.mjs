// LangChain, which includes its own client.
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { z } from 'zod';

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

const shown = (message) => ({
  text: message.content,
  finish: message.response_metadata.finish_reason,
  tokens: message.usage_metadata?.total_tokens,
  calls: message.tool_calls.map((t) => ({ id: t.id, name: t.name, args: t.args })),
});

// The default of six retries would take a minute.
const maxRetries = 1;

export function open({ baseURL, apiKey, headers }) {
  const common = { apiKey, maxRetries, configuration: { baseURL, defaultHeaders: headers } };
  const model = (c, more) => {
    const chat = new ChatOpenAI({ ...common, model: c.model, ...more });
    if (c.orphans) return chat.bindTools([], { tool_choice: 'auto', parallel_tool_calls: true });
    return c.tools ? chat.bindTools(tools) : chat;
  };
  return {
    chat: async (c) => shown(await model(c).invoke(c.prompt)),
    async stream(c) {
      let text = '';
      let finish;
      try {
        for await (const chunk of await model(c, { streamUsage: false }).stream(c.prompt)) {
          text += chunk.content;
          finish = chunk.response_metadata.finish_reason ?? finish;
        }
      } catch (err) {
        return { text, error: failure(err) };
      }
      return { text, finish };
    },
    async helper(c) {
      let whole;
      for await (const chunk of await model(c).stream(c.prompt)) whole = whole?.concat(chunk) ?? chunk;
      return shown(whole);
    },
    async parse(c) {
      const schema = z.object({ city: z.string(), degrees: z.number() });
      const structured = model(c).withStructuredOutput(schema, { name: 'weather', method: 'jsonSchema', includeRaw: true });
      const { raw, parsed } = await structured.invoke(c.prompt);
      return { ...shown(raw), parsed };
    },
    embed: async (c) => ({
      vectors: await new OpenAIEmbeddings({ ...common, model: c.model }).embedDocuments([c.prompt, 'b']),
    }),
  };
}

export function failure(err) {
  const inner = err.cause?.status ? err.cause : err;
  return {
    class: err.constructor.name,
    status: inner.status,
    code: inner.code,
    header: inner.headers?.get('x-error-code'),
    message: err.message,
  };
}
