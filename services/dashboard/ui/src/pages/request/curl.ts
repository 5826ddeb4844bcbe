import { boot } from '../../boot'
import type { RequestDetail } from '../../types'

/** Whether the complete request body is stored. */
export function hasFullRequest(r: RequestDetail): boolean {
  return r.request !== null && r.request_bytes !== null && new TextEncoder().encode(r.request).length >= r.request_bytes
}

/** Builds a curl command that repeats the request. The command reads the key from $SIGNALBOX_KEY. If the body is not stored completely, the command contains an example body. */
export function buildCurlCommand(r: RequestDetail): string {
  const embeds = r.endpoint === 'embeddings'
  const example = embeds ? { model: r.requested_model, input: 'Say hello' } : { model: r.requested_model, messages: [{ role: 'user', content: 'Say hello' }] }
  const body = (hasFullRequest(r) ? r.request! : JSON.stringify(example)).replaceAll("'", `'\\''`)
  return `curl ${boot.base_url}/${embeds ? 'embeddings' : 'chat/completions'} -H "Authorization: Bearer $SIGNALBOX_KEY" -H 'Content-Type: application/json' -d '${body}'`
}
