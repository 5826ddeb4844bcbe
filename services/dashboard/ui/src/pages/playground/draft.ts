// What the user wrote: a prompt, or a whole request body. It is kept while the user visits
// other pages, and never written to the URL.
import { signal } from '@preact/signals'

export type Endpoint = 'chat' | 'messages' | 'responses'

export const endpointPaths: Record<Endpoint, string> = { chat: 'chat/completions', messages: 'messages', responses: 'responses' }

export interface Draft {
  endpoint: Endpoint
  /** Whether the user edits the whole body in place of a prompt. */
  whole: boolean
  system: string
  prompt: string
  /** A data URL of an image that is sent with the prompt; empty for none. */
  image: string
  /** The whole body as JSON text. */
  body: string
}

export const draft = signal<Draft>({ endpoint: 'chat', whole: false, system: '', prompt: '', image: '', body: '' })

export const changeDraft = (change: Partial<Draft>): void => {
  draft.value = { ...draft.value, ...change }
}

/** Switches between the prompt and the whole body. The body starts with what the prompt gives. */
export function editWhole(whole: boolean): void {
  const d = draft.value
  changeDraft(whole && (d.body === '' || d.prompt !== '') && !d.whole ? { whole, body: JSON.stringify(bodyOfPrompt(d), null, 2) } : { whole })
}

type Body = Record<string, unknown>

function bodyOfPrompt(d: Draft): Body {
  const content = d.image ? [{ type: 'text', text: d.prompt }, { type: 'image_url', image_url: { url: d.image } }] : d.prompt
  return { messages: [...(d.system ? [{ role: 'system', content: d.system }] : []), { role: 'user', content }] }
}

/** The body of a draft, or why there is none. */
export type ParsedBody = { body: Body; problem?: undefined } | { body?: undefined; problem: string }

export function parseDraft(d: Draft): ParsedBody {
  if (!d.whole) return d.prompt.trim() ? { body: bodyOfPrompt(d) } : { problem: 'Write a prompt.' }
  if (!d.body.trim()) return { problem: 'Enter a request body.' }
  let body: unknown
  try {
    body = JSON.parse(d.body)
  } catch (e) {
    return { problem: `The body is not valid JSON: ${(e as Error).message}` }
  }
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { body: body as Body } : { problem: 'The body must be a JSON object.' }
}

/** Returns the body for one model. It is streamed, unless it says otherwise. */
export function bodyFor(body: Body, model: string): Body {
  return { stream: true, ...body, model }
}
