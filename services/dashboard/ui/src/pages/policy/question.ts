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

/** Returns the JSON object in a text; null if the text is a message. */
function parseBody(text: string): object | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(text) as object
  } catch {
    return null
  }
}

const splitList = (text: string): string[] => text.split(',').map((w) => w.trim()).filter(Boolean)
