// Reads responses: whole JSON bodies, and server-sent events of the three protocols.

/** The readable part of a response. */
export interface Output {
  text: string
  thinking: string
  /** Tool calls, as name(arguments). */
  calls: Call[]
  /** An error inside the stream; empty for none. */
  error: string
}

export interface Call {
  name: string
  arguments: string
}

export const emptyOutput = (): Output => ({ text: '', thinking: '', calls: [], error: '' })

/** Splits a stream into the data of its events. */
export class EventReader {
  private rest = ''

  /** Adds a piece of the stream and returns the data of the events that it completes. */
  push(piece: string): string[] {
    const lines = (this.rest + piece).split(/\r?\n/)
    this.rest = lines.pop()!
    return lines.filter((l) => l.startsWith('data:')).map((l) => l.slice(5).trim())
  }
}

/** Adds one event to an output. Unknown events change nothing. */
export function addEvent(o: Output, data: string): void {
  if (data === '[DONE]') return
  let e: any
  try {
    e = JSON.parse(data)
  } catch {
    return
  }
  if (e.error) o.error = errorText(e)
  for (const c of Array.isArray(e.choices) ? e.choices : []) addChatDelta(o, c.delta ?? {})
  addMessagesEvent(o, e)
  addResponsesEvent(o, e)
}

function addChatDelta(o: Output, d: any): void {
  o.text += textOf(d.content)
  o.thinking += textOf(d.reasoning_content)
  for (const t of Array.isArray(d.tool_calls) ? d.tool_calls : []) {
    const call = (o.calls[t.index ?? o.calls.length] ??= { name: '', arguments: '' })
    call.name += textOf(t.function?.name)
    call.arguments += textOf(t.function?.arguments)
  }
}

function addMessagesEvent(o: Output, e: any): void {
  if (e.type === 'content_block_start' && e.content_block?.type === 'tool_use') o.calls.push({ name: textOf(e.content_block.name), arguments: '' })
  if (e.type !== 'content_block_delta') return
  o.text += textOf(e.delta?.text)
  o.thinking += textOf(e.delta?.thinking)
  if (o.calls.length > 0) o.calls.at(-1)!.arguments += textOf(e.delta?.partial_json)
}

function addResponsesEvent(o: Output, e: any): void {
  if (e.type === 'response.output_text.delta') o.text += textOf(e.delta)
  if (e.type === 'response.output_item.done' && e.item?.type === 'function_call') o.calls.push({ name: textOf(e.item.name), arguments: textOf(e.item.arguments) })
}

/** Reads a response that was not streamed. */
export function readWhole(body: any): Output {
  const o = emptyOutput()
  for (const c of Array.isArray(body?.choices) ? body.choices : []) addChatDelta(o, c.message ?? {})
  for (const block of Array.isArray(body?.content) ? body.content : []) {
    o.text += textOf(block.text)
    o.thinking += textOf(block.thinking)
    if (block.type === 'tool_use') o.calls.push({ name: textOf(block.name), arguments: JSON.stringify(block.input) })
  }
  for (const item of Array.isArray(body?.output) ? body.output : []) {
    if (item.type === 'function_call') o.calls.push({ name: textOf(item.name), arguments: textOf(item.arguments) })
    for (const part of Array.isArray(item.content) ? item.content : []) o.text += textOf(part.text)
  }
  return o
}

/** The message of an error body: ours, or that of a vendor. */
export function errorText(body: any): string {
  const e = body?.error
  return typeof e === 'string' ? e : textOf(e?.message) || 'The request failed.'
}

const textOf = (v: unknown): string => (typeof v === 'string' ? v : '')
