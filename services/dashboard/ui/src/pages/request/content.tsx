// The stored bodies of request and response. They are rendered as text, never as
// HTML.
import { escapeInvisible, formatCount } from '../../format'
import type { RequestDetail } from '../../types'
import { parseTurns } from './contenttext'

/** The maximum length of a text on screen. The Raw tab and the API have everything that is stored. */
const maxCharacters = 100_000

export function Content({ r }: { r: RequestDetail }) {
  if (r.request === null && r.response === null) return <p>{explainMissing(r)}</p>
  return (
    <div class="stack">
      {r.capture === 'redacted' ? <p class="meta">Before the content was stored, text was removed that looked like keys, passwords, e-mail addresses, card numbers, phone numbers or long encoded data, or that matched one of the operator’s patterns.</p> : null}
      <BodySection title="Request" text={r.request ?? ''} bytes={r.request_bytes} />
      {r.response ? <BodySection title="Response" text={r.response} bytes={r.response_bytes} /> : <p class="meta">{explainNoResponse(r)}</p>}
    </div>
  )
}

/** The response has no text. That is a fact about the request, not about the capture setting. */
function explainNoResponse(r: RequestDetail): string {
  if (r.outcome === 'client_closed') return 'The client disconnected before the response had any content.'
  return r.outcome === 'ok' ? 'The response has no content.' : `There is no response of a model. The client received the error ${r.code ?? 'of the gateway'}.`
}

function explainMissing(r: RequestDetail): string {
  if (r.outcome === 'rejected') return 'The request was rejected before a model was called. The content of rejected requests is not stored, whatever the capture setting is.'
  if (r.capture === 'dropped') return 'The content was captured and then dropped, because the proxy was short of disk space. The rest of the record is complete.'
  return 'No content is stored. Capture is off for the account, the key or this request, or the retention time has passed. You can change capture in the account settings.'
}

function BodySection({ title, text, bytes }: { title: string; text: string; bytes: number | null }) {
  const turns = parseTurns(text)
  return (
    <section class="stack" aria-label={title}>
      <h2>{title} {bytes !== null ? <span class="meta">{formatCount(bytes)} bytes{bytes > new TextEncoder().encode(text).length ? ', truncated' : ''}</span> : null}</h2>
      {turns.map((t, i) => (
        <div class="turn" key={i}><span class="role">{escapeInvisible(t.role)}</span><pre dir="auto">{escapeInvisible(truncate(t.text))}</pre></div>
      ))}
      <details>
        <summary>Raw body</summary>
        <pre class="content" tabIndex={0} dir="auto">{escapeInvisible(truncate(text))}</pre>
      </details>
    </section>
  )
}

const truncate = (text: string): string => (text.length > maxCharacters ? `${text.slice(0, maxCharacters)}\n… ${formatCount(text.length - maxCharacters)} more characters` : text)
