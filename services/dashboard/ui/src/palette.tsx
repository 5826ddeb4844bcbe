// Goes to a page by its name, to a request by its id, to a key by its name or
// by how it begins.
import { useRef, useState } from 'preact/hooks'
import { useApi } from './api'
import { Dialog } from './components/controls'
import { visible } from './format'
import { pages } from './nav'
import type { Key } from './pages/keys/key'
import { address, navigate } from './router'
import type { Items } from './types'

interface Goal {
  name: string
  to: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function goals(text: string, keys: Key[]): Goal[] {
  const typed = text.trim()
  const found = pages
    .filter((p) => p.name.toLowerCase().includes(typed.toLowerCase()))
    .map((p) => ({ name: p.name, to: p.path }))
  if (uuid.test(typed)) return [{ name: `Request ${typed}`, to: `/requests/${typed.toLowerCase()}` }]
  if (typed.length >= 2) found.push(...keys.filter((k) => begins(k, typed)).slice(0, 5).map((k) => ({ name: `Key ${visible(k.name)} (${k.prefix}…)`, to: '/keys/' + k.id })))
  if (typed !== '') found.push({ name: `Requests with “${typed}”`, to: address('/requests', { q: JSON.stringify(typed) }) })
  return found
}

/** Whether a key is meant by its name, by its prefix or a part of it, or by the key itself. */
const begins = (k: Key, typed: string): boolean => k.name.toLowerCase().includes(typed.toLowerCase()) || k.prefix.startsWith(typed) || typed.startsWith(k.prefix)

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const keys = useApi<Items<Key>>(open ? '/keys' : null)
  const list = goals(text, keys.data?.items ?? [])
  const go = (g: Goal | undefined) => {
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
    <Dialog open={open} title="Go to" onClose={onClose}>
      <div class="stack">
        <input
          ref={input} type="text" role="combobox" aria-label="Page, request id or key" aria-expanded="true" aria-controls="goals" aria-activedescendant={`goal-${at}`}
          autofocus value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0) }} onKeyDown={key}
        />
        <ul id="goals" role="listbox" class="menu" aria-label="Goals">
          {list.map((g, i) => <li key={g.to} id={`goal-${i}`} role="option" aria-selected={i === at} onClick={() => go(g)}>{g.name}</li>)}
        </ul>
      </div>
    </Dialog>
  )
}
