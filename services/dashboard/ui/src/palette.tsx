// Goes to a page by its name, or to a request by its id.
import { useRef, useState } from 'preact/hooks'
import { Dialog } from './components/controls'
import { pages } from './nav'
import { address, navigate } from './router'

interface Goal {
  name: string
  to: string
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function goals(text: string): Goal[] {
  const typed = text.trim()
  const found = pages
    .filter((p) => p.name.toLowerCase().includes(typed.toLowerCase()))
    .map((p) => ({ name: p.name, to: p.path }))
  if (uuid.test(typed)) return [{ name: `Request ${typed}`, to: `/requests/${typed.toLowerCase()}` }]
  if (typed !== '') found.push({ name: `Requests with “${typed}”`, to: address('/requests', { q: JSON.stringify(typed) }) })
  return found
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const list = goals(text)
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
          ref={input} type="text" role="combobox" aria-label="Page or request id" aria-expanded="true" aria-controls="goals" aria-activedescendant={`goal-${at}`}
          autofocus value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0) }} onKeyDown={key}
        />
        <ul id="goals" role="listbox" class="menu" aria-label="Goals">
          {list.map((g, i) => <li key={g.to} id={`goal-${i}`} role="option" aria-selected={i === at} aria-checked={i === at} onClick={() => go(g)}>{g.name}</li>)}
        </ul>
      </div>
    </Dialog>
  )
}
