// Sends the first request from the browser.
import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import { exampleBody } from './snippets'

/** Whether the browser can call the gateway. It can do so only if the pages and the gateway have the same origin. */
export const isSameOrigin = new URL(boot.base_url).origin === location.origin

export function SendButton({ secret }: { secret: string }) {
  const [result, setResult] = useState<{ ok: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    setResult(await sendRequest(secret))
    setBusy(false)
  }
  return (
    <>
      <button type="button" class="button main" disabled={busy} onClick={send}>Send this request from the browser</button>
      <span role="status" class={result && !result.ok ? 'lost' : 'soft'}>{result?.text}</span>
    </>
  )
}

async function sendRequest(secret: string): Promise<{ ok: boolean; text: string }> {
  try {
    const res = await fetch(boot.base_url + '/chat/completions', {
      method: 'POST', credentials: 'omit', body: JSON.stringify(exampleBody),
      headers: { 'Authorization': `Bearer ${secret}`, 'Content-Type': 'application/json' },
    })
    const response = await res.json()
    if (!res.ok) return { ok: false, text: `The gateway returned ${res.status}: ${response.error} (${response.code})` }
    return { ok: true, text: `Response: “${truncate(String(response.choices?.[0]?.message?.content ?? ''))}”` }
  } catch {
    return { ok: false, text: 'The browser cannot reach the gateway. Run the code above instead.' }
  }
}

const truncate = (text: string): string => (text.length > 80 ? text.slice(0, 79) + '…' : text)
