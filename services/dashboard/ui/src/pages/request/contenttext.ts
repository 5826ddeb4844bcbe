// The text of a stored body: the turns of a conversation without the JSON around them.

export interface Turn {
  role: string
  text: string
}

/** Parses the turns of a conversation. Any other text becomes a single turn. */
export function parseTurns(text: string): Turn[] {
  try {
    const body = JSON.parse(text)
    if (Array.isArray(body.messages)) return body.messages.map(parseTurn)
    if (Array.isArray(body.choices)) return body.choices.map((c: any) => parseTurn(c.message ?? {}))
    if (body.input !== undefined) return [{ role: 'input', text: typeof body.input === 'string' ? body.input : JSON.stringify(body.input) }]
  } catch {
    // A truncated body is not valid JSON. It is shown as a single turn.
  }
  return text === '' ? [] : [{ role: '', text }]
}

function parseTurn(m: any): Turn {
  const parts: string[] = []
  if (typeof m.reasoning_content === 'string' && m.reasoning_content) parts.push(`(thinking) ${m.reasoning_content}`)
  if (typeof m.content === 'string') parts.push(m.content)
  else if (Array.isArray(m.content)) parts.push(...m.content.map((p: any) => (typeof p?.text === 'string' ? p.text : JSON.stringify(p))))
  for (const t of Array.isArray(m.tool_calls) ? m.tool_calls : []) parts.push(`${t?.function?.name}(${t?.function?.arguments})`)
  return { role: String(m.role ?? ''), text: parts.join('\n') }
}

/** The turns of a body as one text; null if the body is not stored. */
export const contentText = (body: string | null): string | null =>
  body === null ? null : parseTurns(body).map((t) => (t.role ? `${t.role}: ${t.text}` : t.text)).join('\n\n')
