import { boot } from '../../boot'
import type { RequestDetail } from '../../types'

/** Whether all of what the client sent is at hand. */
export function whole(r: RequestDetail): boolean {
  return r.request !== null && r.request_bytes !== null && new TextEncoder().encode(r.request).length >= r.request_bytes
}

/** The same call again, with the key left to whoever makes it; of text that was not kept whole, an example stands in its place. */
export function curl(r: RequestDetail): string {
  const embeds = r.endpoint === 'embeddings'
  const example = embeds ? { model: r.requested_model, input: 'Say hello' } : { model: r.requested_model, messages: [{ role: 'user', content: 'Say hello' }] }
  const body = (whole(r) ? r.request! : JSON.stringify(example)).replaceAll("'", `'\\''`)
  return `curl ${boot.base_url}/${embeds ? 'embeddings' : 'chat/completions'} -H "Authorization: Bearer $SIGNALBOX_KEY" -H 'Content-Type: application/json' -d '${body}'`
}
