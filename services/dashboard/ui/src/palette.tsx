// The search dialog. Selecting a result opens it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi, useApi } from './api'
import { Dialog } from './components/controls'
import { type Destination, findDestinations, findSelected, maySearchSessions, type Searchable, selectFirst } from './destinations'
import { buildURL, navigate } from './router'
import type { Items } from './types'

/** The pause after a keystroke before sessions are searched. */
const pauseMs = 150

/** Loads the newest sessions whose id contains the text. The previous ones stay meanwhile. */
function useSessions(typed: string): Searchable['sessions'] {
  const [found, setFound] = useState<Searchable['sessions']>([])
  useEffect(() => {
    if (!maySearchSessions(typed)) return
    const abort = new AbortController()
    // The dialog is of use without the sessions, so it does not show an error.
    const load = () => callApi<Items<Searchable['sessions'][number]>>('GET', buildURL('/sessions', { search: typed, limit: '10' }), undefined, abort.signal).then((d) => setFound(d.items), () => abort.signal.aborted || setFound([]))
    const timer = setTimeout(() => void load(), pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [typed])
  return found
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('')
  const [selected, setSelected] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const keys = useApi<Items<Searchable['keys'][number]>>(open ? '/keys' : null)
  const models = useApi<Items<Searchable['models'][number]>>(open && text !== '' ? '/models?catalog=true' : null)
  const sessions = useSessions(open ? text.trim() : '')
  const loaded = { keys: keys.data?.items ?? [], models: models.data?.items ?? [], sessions }
  const list = findDestinations(text, loaded)
  const at = findSelected(list, selected)
  const type = (typed: string) => {
    setText(typed)
    setSelected(selectFirst(findDestinations(typed, loaded)))
  }
  const go = (g: Destination | undefined) => {
    if (!g) return
    type('')
    onClose()
    navigate(g.to)
  }
  const key = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) {
      e.preventDefault()
      setSelected(list[(at + step + list.length) % Math.max(1, list.length)]?.to ?? null)
    }
    if (e.key === 'Enter') {
      e.preventDefault()
      go(list[at])
    }
  }
  return (
    <Dialog open={open} title="Search pages, requests, sessions, models and keys" onClose={onClose}>
      <div class="stack">
        <input
          ref={input} type="text" role="combobox" aria-label="Page, request ID, session ID, model or key name" aria-expanded="true" aria-controls="goals" aria-activedescendant={`goal-${at}`}
          autofocus value={text} onInput={(e) => type(e.currentTarget.value)} onKeyDown={key}
        />
        <ul id="goals" role="listbox" class="menu" aria-label="Results">
          {list.map((g, i) => <li key={g.to} id={`goal-${i}`} role="option" aria-selected={i === at} onClick={() => go(g)}>{g.name}</li>)}
        </ul>
      </div>
    </Dialog>
  )
}
