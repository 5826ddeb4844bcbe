// The AI SDK with its provider for OpenAI-compatible servers.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { z } from 'zod';

const tools = {
  get_weather: tool({
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  }),
};

const shown = async (result) => ({
  text: await result.text,
  finish: (await result.finishReason).replace('-', '_'),
  tokens: (await result.usage).totalTokens,
  calls: (await result.toolCalls).map((t) => ({ id: t.toolCallId, name: t.toolName, args: t.input })),
});

export function open({ baseURL, apiKey, headers }) {
  const provider = createOpenAICompatible({
    name: 'signalbox',
    baseURL,
    apiKey,
    headers,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  const ask = (c) => ({ model: provider(c.model), prompt: c.prompt, ...(c.tools && { tools }) });
  return {
    async chat(c) {
      const result = await generateText(ask(c));
      return { ...(await shown(result)), id: result.response.headers['x-request-id'] };
    },
    async stream(c) {
      const seen = { text: '', calls: [] };
      for await (const part of streamText({ ...ask(c), onError() {} }).fullStream) {
        if (part.type === 'text-delta') seen.text += part.text;
        if (part.type === 'tool-call') seen.calls.push({ id: part.toolCallId, name: part.toolName, args: part.input });
        if (part.type === 'finish') seen.finish = part.finishReason.replace('-', '_');
        if (part.type === 'error') return { text: seen.text, error: failure(part.error) };
      }
      return seen;
    },
    async helper(c) {
      let failed;
      const result = streamText({ ...ask(c), onError: ({ error }) => (failed = error) });
      try {
        // If a stream breaks after its start, the promise is not rejected.
        const seen = await shown(result);
        return failed ? { text: seen.text, error: failure(failed) } : seen;
      } catch (err) {
        throw failed ?? err;
      }
    },
    async parse(c) {
      const schema = z.object({ city: z.string(), degrees: z.number() });
      const result = await generateText({ ...ask(c), output: Output.object({ schema }) });
      return { ...(await shown(result)), id: result.response.headers['x-request-id'], parsed: result.output };
    },
    async embed(c) {
      const { embeddings, usage } = await embedMany({
        model: provider.embeddingModel(c.model),
        values: [c.prompt, 'b'],
      });
      return { vectors: embeddings, tokens: usage.tokens };
    },
  };
}

export function failure(err) {
  const last = err.lastError ?? err;
  return {
    class: err.name ?? typeof err,
    status: last.statusCode,
    code: last.data?.error?.code,
    header: last.responseHeaders?.['x-error-code'],
    message: last.message ?? String(err),
  };
}
