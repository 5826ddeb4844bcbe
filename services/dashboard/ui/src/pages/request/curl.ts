import { boot } from '../../boot'
import type { RequestDetail } from '../../types'

/** Whether the complete request body is stored. */
export function hasFullRequest(r: RequestDetail): boolean {
  return r.request !== null && r.request_bytes !== null && new TextEncoder().encode(r.request).length >= r.request_bytes
}

/** Builds a curl command that repeats the request. The command reads the key from $SIGNALBOX_KEY. If the body is not stored completely, the command contains an example body. */
export function buildCurlCommand(r: RequestDetail): string {
  const body = hasFullRequest(r) ? r.request! : JSON.stringify(exampleBody(r))
  const url = r.protocol === 'gemini' ? geminiURL(r, body) : `${boot.base_url}/${endpointPath(r)}`
  return `curl '${url}' -H "Authorization: Bearer $SIGNALBOX_KEY" -H 'Content-Type: application/json' -d '${body.replaceAll("'", `'\\''`)}'`
}

function endpointPath(r: RequestDetail): string {
  if (r.endpoint === 'embeddings') return 'embeddings'
  return r.protocol === 'messages' || r.protocol === 'responses' ? r.protocol : 'chat/completions'
}

/** Clients of Google's protocol name the model and the method in the path. */
function geminiURL(r: RequestDetail, body: string): string {
  const embeds = /"requests"\s*:/.test(body) ? 'batchEmbedContents' : 'embedContent'
  const generates = r.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const models = boot.base_url.replace(/\/v1$/, '/v1beta/models')
  return `${models}/${encodeURIComponent(r.requested_model).replaceAll("'", '%27')}:${r.endpoint === 'embeddings' ? embeds : generates}`
}

function exampleBody(r: RequestDetail): object {
  const model = r.requested_model
  const parts = [{ text: 'Say hello' }]
  const messages = [{ role: 'user', content: 'Say hello' }]
  switch (r.protocol) {
    case 'gemini': return r.endpoint === 'embeddings' ? { content: { parts } } : { contents: [{ role: 'user', parts }] }
    case 'messages': return { model, max_tokens: 100, messages }
    case 'responses': return { model, input: 'Say hello' }
  }
  return r.endpoint === 'embeddings' ? { model, input: 'Say hello' } : { model, messages }
}
