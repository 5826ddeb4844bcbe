// What was said, as far as it was kept. It is only ever text.
import type { RequestDetail } from '../../types'
import { count, visible } from '../../format'

/** More than this is cut for the screen; Raw and the API have all that is kept. */
const most = 100_000

export function Content({ r }: { r: RequestDetail }) {
  if (r.request === null && r.response === null) return <p>{why(r.capture)}</p>
  return (
    <div class="stack">
      {r.capture === 'redacted' ? <p class="meta">What looked like keys, addresses or numbers of people was taken out before anything was kept.</p> : null}
      <Part title="Request" text={r.request ?? ''} bytes={r.request_bytes} />
      <Part title="Answer" text={r.response ?? ''} bytes={r.response_bytes} />
    </div>
  )
}

function why(capture: string | null): string {
  if (capture === 'dropped') return 'The text was kept and then dropped, because the proxy ran short of room. Everything else of the record is here.'
  return 'No text was kept: the account, the key or the request itself says so, or nothing was left after its time. Account settings decide what is kept.'
}

function Part({ title, text, bytes }: { title: string; text: string; bytes: number | null }) {
  const said = turns(text)
  return (
    <section class="stack" aria-label={title}>
      <h2>{title} {bytes !== null ? <span class="meta">{count(bytes)} bytes{bytes > new TextEncoder().encode(text).length ? ', cut' : ''}</span> : null}</h2>
      {said.map((t, i) => (
        <div class="turn" key={i}><span class="role">{visible(t.role)}</span><pre dir="auto">{visible(t.text)}</pre></div>
      ))}
      <details>
        <summary>As it was sent</summary>
        <pre class="content" tabIndex={0} dir="auto">{visible(cut(text))}</pre>
      </details>
    </section>
  )
}

const cut = (text: string): string => (text.length > most ? `${text.slice(0, most)}\n… ${count(text.length - most)} more characters` : text)

interface Turn {
  role: string
  text: string
}

/** The turns of a conversation, if the text can be read as one. */
function turns(text: string): Turn[] {
  try {
    const body = JSON.parse(text)
    if (Array.isArray(body.messages)) return body.messages.map(turn)
    if (Array.isArray(body.choices)) return body.choices.map((c: any) => turn(c.message ?? {}))
    if (body.input !== undefined) return [{ role: 'input', text: cut(typeof body.input === 'string' ? body.input : JSON.stringify(body.input)) }]
  } catch {
    // Cut in the middle: it is shown as it is.
  }
  return text === '' ? [] : [{ role: '', text: cut(text) }]
}

function turn(m: any): Turn {
  const parts: string[] = []
  if (typeof m.reasoning_content === 'string' && m.reasoning_content) parts.push(`(thinking) ${m.reasoning_content}`)
  if (typeof m.content === 'string') parts.push(m.content)
  else if (Array.isArray(m.content)) parts.push(...m.content.map((p: any) => (typeof p?.text === 'string' ? p.text : JSON.stringify(p))))
  for (const t of Array.isArray(m.tool_calls) ? m.tool_calls : []) parts.push(`${t?.function?.name}(${t?.function?.arguments})`)
  return { role: String(m.role ?? ''), text: cut(parts.join('\n')) }
}
