// Makes the first call from the browser itself.
import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import { body } from './snippets'

/** Whether the browser may call the gateway: only where it is at our own address. */
export const near = new URL(boot.base_url).origin === location.origin

export function Send({ secret }: { secret: string }) {
  const [said, setSaid] = useState<{ ok: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    setSaid(await ask(secret))
    setBusy(false)
  }
  return (
    <>
      <button type="button" class="button main" disabled={busy} onClick={send}>Send it from here</button>
      <span role="status" class={said && !said.ok ? 'lost' : 'soft'}>{said?.text}</span>
    </>
  )
}

async function ask(secret: string): Promise<{ ok: boolean; text: string }> {
  try {
    const res = await fetch(boot.base_url + '/chat/completions', {
      method: 'POST', credentials: 'omit', body: JSON.stringify(body),
      headers: { 'Authorization': `Bearer ${secret}`, 'Content-Type': 'application/json' },
    })
    const answer = await res.json()
    if (!res.ok) return { ok: false, text: `The gateway answered ${res.status}: ${answer.error} (${answer.code})` }
    return { ok: true, text: `It answered: “${cut(String(answer.choices?.[0]?.message?.content ?? ''))}”` }
  } catch {
    return { ok: false, text: 'The gateway cannot be reached from here. The command does not depend on that.' }
  }
}

const cut = (text: string): string => (text.length > 80 ? text.slice(0, 79) + '…' : text)
