// The question of the form "Show how a request would be routed".

export interface QuestionDraft {
  model: string
  needs: string
  tags: string
  message: string
}

/** Returns what the API asks the router: the pasted body of a request, or a question from the fields. The tags count for both. */
export function toQuestion(q: QuestionDraft): object {
  return { ...(parseBody(q.message) ?? { model: q.model.trim(), needs: splitList(q.needs), excerpt: q.message }), caller: { tags: splitList(q.tags) } }
}

/** Returns the request body in a text; null if the text is a message. A message can be a JSON object, too. */
function parseBody(text: string): Record<string, unknown> | null {
  const object = parseObject(text)
  return object && bodyFields.some((name) => object[name] !== undefined && object[name] !== null) ? object : null
}

/** The fields of which every request body has one. The server tells the APIs apart by them. */
const bodyFields = ['messages', 'input', 'contents']

function parseObject(text: string): Record<string, unknown> | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

/** Says how a text is read. */
export function describeReading(text: string): string {
  if (parseBody(text)) return 'Read as the body of a request. Its model and capabilities replace those of the form.'
  if (parseObject(text)) return 'Read as a message: the JSON has no messages, input or contents, so it is not the body of a request.'
  return 'A user message, or the JSON body of a request, which then replaces model and capabilities. It is not stored.'
}

const splitList = (text: string): string[] => text.split(',').map((w) => w.trim()).filter(Boolean)
