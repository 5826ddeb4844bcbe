// The text that connects a tool.
import { CopyButton } from '../../components/basics'
import { buildTool } from './tools'

export function ToolSnippet({ id, base, secret }: { id: string; base: string; secret: string | undefined }) {
  const tool = buildTool(id, base, secret)
  if (!tool) return null
  return (
    <>
      <div class="call">
        <pre class="snippet" tabIndex={0}>{tool.text}</pre>
        <CopyButton key={id} text={tool.text} what="Code">Copy</CopyButton>
      </div>
      {tool.note || tool.docs ? <p class="meta">{tool.note} {tool.docs ? <a href={tool.docs}>Docs</a> : null}</p> : null}
    </>
  )
}
