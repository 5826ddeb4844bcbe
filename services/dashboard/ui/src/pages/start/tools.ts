// How tools other than curl send the first request. The texts are in tools.json, so that the
// test suite of the client libraries runs the same texts.
import all from './tools.json'

export interface Tool {
  id: string
  text: string
  /** What a user of the tool should know. */
  note: string | undefined
  /** The documentation of the tool. */
  docs: string | undefined
}

/** Returns how a tool connects. Without a key, the text reads the key from the environment variable SIGNALBOX_KEY. */
export function buildTool(id: string, base: string, key: string | undefined): Tool | undefined {
  const tool: { id: string; env: string; quote: string; text: string; note?: string; docs?: string } | undefined = all.find((t) => t.id === id)
  if (!tool) return undefined
  const shown = key ? tool.quote + key + tool.quote : tool.env
  const text = tool.text.replaceAll('{{base}}', base).replaceAll('{{root}}', base.replace(/\/v1$/, '')).replaceAll('{{key}}', shown)
  return { id, text, note: tool.note, docs: tool.docs }
}
