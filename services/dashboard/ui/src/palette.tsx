// The search dialog. It finds pages by name, requests by id, and keys by name or
// prefix. Selecting a result opens it.
import { useRef, useState } from 'preact/hooks'
import { useApi } from './api'
import { Dialog } from './components/controls'
import { escapeInvisible } from './format'
import { pages } from './nav'
import type { Key } from './pages/keys/key'
import { buildURL, navigate } from './router'
import type { Items } from './types'

interface Destination {
  name: string
  to: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Pages below the page Account. They are found by name, and are not listed before the user types. */
const accountPages: Destination[] = [{ name: 'People', to: '/account/people' }, { name: 'Invites', to: '/account/invites' }, { name: 'Sign-ins and password', to: '/account/sign-ins' }, { name: 'API tokens', to: '/account/tokens' }, { name: 'Audit log', to: '/account/audit' }]

function findDestinations(text: string, keys: Key[]): Destination[] {
  const typed = text.trim()
  const found = pages
    .filter((p) => p.name.toLowerCase().includes(typed.toLowerCase()))
    .map((p) => ({ name: p.name, to: p.path }))
  if (typed !== '') found.push(...accountPages.filter((p) => p.name.toLowerCase().includes(typed.toLowerCase())))
  if (uuid.test(typed)) return [{ name: `Request ${typed}`, to: `/requests/${typed.toLowerCase()}` }]
  if (typed.length >= 2) found.push(...keys.filter((k) => matchesKey(k, typed)).slice(0, 5).map((k) => ({ name: `Key ${escapeInvisible(k.name)} (${k.prefix}…)`, to: '/keys/' + k.id })))
  if (typed !== '') found.push({ name: `Search requests for “${typed}”`, to: buildURL('/requests', { q: JSON.stringify(typed) }) })
  return found
}

/** Whether the text is part of the key's name, the start of its prefix, or the key itself. */
const matchesKey = (k: Key, typed: string): boolean => k.name.toLowerCase().includes(typed.toLowerCase()) || k.prefix.startsWith(typed) || typed.startsWith(k.prefix)

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const keys = useApi<Items<Key>>(open ? '/keys' : null)
  const list = findDestinations(text, keys.data?.items ?? [])
  const go = (g: Destination | undefined) => {
    if (!g) return
    setText('')
    onClose()
    navigate(g.to)
  }
  const key = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) {
      e.preventDefault()
      setAt((at + step + list.length) % Math.max(1, list.length))
    }
    if (e.key === 'Enter') {
      e.preventDefault()
      go(list[at])
    }
  }
  return (
    <Dialog open={open} title="Search pages, requests and keys" onClose={onClose}>
      <div class="stack">
        <input
          ref={input} type="text" role="combobox" aria-label="Page, request ID or key name" aria-expanded="true" aria-controls="goals" aria-activedescendant={`goal-${at}`}
          autofocus value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0) }} onKeyDown={key}
        />
        <ul id="goals" role="listbox" class="menu" aria-label="Results">
          {list.map((g, i) => <li key={g.to} id={`goal-${i}`} role="option" aria-selected={i === at} onClick={() => go(g)}>{g.name}</li>)}
        </ul>
      </div>
    </Dialog>
  )
}
