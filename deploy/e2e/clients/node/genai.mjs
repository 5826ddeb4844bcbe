// Google's own library.
import { GoogleGenAI } from '@google/genai';
import { pixel, toolNames, toolResults, toolSchema } from './sdk.mjs';

const tools = [{ functionDeclarations: toolNames.map((name) => ({ name, parametersJsonSchema: toolSchema })) }];

const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
};

const parts = (c) => [{ text: c.prompt }, ...(c.image ? [{ inlineData: { mimeType: 'image/png', data: pixel } }] : [])];

const config = (c) => ({
  maxOutputTokens: c.max_tokens,
  ...(c.tools && { tools }),
  ...(c.think && { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } }),
});

// shown joins the chunks of a stream. A complete response is one chunk.
function shown(chunks) {
  const seen = { text: '', thinking: '', calls: [] };
  for (const chunk of chunks) {
    const [{ content, finishReason }] = chunk.candidates;
    seen.id = chunk.sdkHttpResponse.headers['x-request-id'];
    seen.role = content.role === 'model' ? 'assistant' : content.role;
    seen.finish = finishReason;
    for (const part of content.parts) {
      seen[part.thought ? 'thinking' : 'text'] += part.text ?? '';
      const call = part.functionCall;
      if (call) seen.calls.push({ id: call.id ?? '', name: call.name, args: call.args });
    }
  }
  const usage = chunks.at(-1).usageMetadata;
  seen.input = usage.promptTokenCount;
  seen.output = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
  return seen;
}

// turn joins the parts of all chunks into one turn of the model, without empty parts.
const turn = (chunks) => ({
  role: 'model',
  parts: chunks
    .flatMap((chunk) => chunk.candidates[0].content.parts)
    .filter((part) => part.text !== '' || part.thoughtSignature),
});

const results = (calls) =>
  calls.map(({ id, name }) => ({
    functionResponse: { ...(id && { id }), name, response: { output: toolResults[name] } },
  }));

export function open({ baseURL, apiKey, headers }) {
  const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: baseURL, headers: headers ?? {} } });
  const converse = async (c, send) => {
    const contents = [{ role: 'user', parts: parts(c) }];
    const chunks = await send(contents);
    const seen = shown(chunks);
    if (c.again) {
      contents.push(turn(chunks), { role: 'user', parts: results(seen.calls) });
      seen.then = shown(await send(contents)).text;
    }
    return seen;
  };
  return {
    create: (c) =>
      converse(c, async (contents) => [await ai.models.generateContent({ model: c.model, contents, config: config(c) })]),
    async stream(c) {
      let text = '';
      const send = async (contents) => {
        const chunks = [];
        for await (const chunk of await ai.models.generateContentStream({ model: c.model, contents, config: config(c) })) {
          chunks.push(chunk);
          text += chunk.text ?? '';
        }
        return chunks;
      };
      try {
        return await converse(c, send);
      } catch (err) {
        return { text, error: failure(err) };
      }
    },
    async parse(c) {
      const response = await ai.models.generateContent({
        model: c.model,
        contents: parts(c),
        config: { ...config(c), responseMimeType: 'application/json', responseJsonSchema: weatherSchema },
      });
      return { ...shown([response]), parsed: JSON.parse(response.text) };
    },
    count: async (c) => ({ input: (await ai.models.countTokens({ model: c.model, contents: parts(c) })).totalTokens }),
    async cancel(c) {
      const abort = new AbortController();
      const stream = await ai.models.generateContentStream({
        model: c.model,
        contents: parts(c),
        config: { ...config(c), abortSignal: abort.signal },
      });
      const { value: chunk } = await stream.next();
      abort.abort();
      return { id: chunk.sdkHttpResponse.headers['x-request-id'], text: chunk.text };
    },
  };
}

// The message of an error contains the body of the response.
export function failure(err) {
  let code;
  try {
    code = JSON.parse(err.message.slice(err.message.indexOf('{'))).code;
  } catch {
    code = undefined;
  }
  return { class: err.constructor.name, status: err.status, code, message: err.message };
}
