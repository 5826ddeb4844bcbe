// The list of suggestions below the filter. The arrow keys choose one, Enter inserts it, and
// Escape closes the list. Without a choice, Enter applies the filter as typed.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../api'
import { escapeInvisible, formatCount } from '../format'
import { currentRange, rangeQuery } from '../range'
import { buildURL } from '../router'
import { applySuggestion, facetField, type FacetList, facetText, otherTerms, suggest, type Suggestion, termAt } from './suggest'

/** How long the user must have stopped typing before the server counts. */
const pauseMs = 120
const most = 12
const listId = 'q-suggestions'

export interface SuggestionsProps {
  input: HTMLInputElement
  typed: string
  onType: (text: string) => void
}

export function Suggestions({ input, typed, onType }: SuggestionsProps) {
  const [caret, setCaret] = useState(input.selectionStart ?? typed.length)
  const [open, setOpen] = useState(typed !== '')
  const [active, setActive] = useState(-1)
  const term = termAt(typed, Math.min(caret, typed.length))
  const facets = useFacets(open ? facetField(term) : null, facetText(term), otherTerms(typed, term))
  const list = open ? suggest(term, facets).slice(0, most) : []
  const shown = list.length > 0 && !(list.length === 1 && list[0]!.term.trim() === typed.slice(term.start, term.end))
  const choose = (s: Suggestion) => {
    const next = applySuggestion(typed, term, s)
    onType(next.filter)
    setActive(-1)
    // The caret can be set only after the text.
    requestAnimationFrame(() => {
      input.focus()
      input.setSelectionRange(next.caret, next.caret)
      setCaret(next.caret)
      setOpen(true)
    })
  }
  const keys = useRef<(e: KeyboardEvent) => void>(() => {})
  keys.current = (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) {
      e.preventDefault()
      if (shown) setActive((active + step + list.length + (active < 0 && step < 0 ? 1 : 0)) % list.length)
      setOpen(true)
    } else if (e.key === 'Escape' && shown) {
      e.preventDefault()
      e.stopPropagation()
      setOpen(false)
      setActive(-1)
    } else if (e.key === 'Enter' && shown && list[active]) {
      e.preventDefault()
      choose(list[active]!)
    } else if (e.key === 'Enter') setOpen(false)
  }
  // Together with the list: a key that is pressed before the next paint must not be lost.
  useLayoutEffect(() => {
    const onKey = (e: KeyboardEvent) => keys.current(e)
    const onMove = () => setCaret(input.selectionStart ?? 0)
    const onInput = () => { onMove(); setOpen(true); setActive(-1) }
    const onBlur = () => setOpen(false)
    const events = [['keydown', onKey], ['input', onInput], ['click', onMove], ['keyup', onMove], ['blur', onBlur]] as const
    // Before the listeners of the filter, which would leave the field on Escape.
    for (const [name, on] of events) input.addEventListener(name, on as EventListener, true)
    return () => { for (const [name, on] of events) input.removeEventListener(name, on as EventListener, true) }
  }, [input])
  useEffect(() => {
    const attributes = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': listId, 'aria-expanded': String(shown), 'aria-activedescendant': shown && active >= 0 ? `${listId}-${active}` : '' }
    for (const [name, value] of Object.entries(attributes)) value ? input.setAttribute(name, value) : input.removeAttribute(name)
  })
  return (
    <>
      <ul id={listId} class="suggestions" role="listbox" aria-label="Suggestions" hidden={!shown}>
        {list.map((s, i) => (
          <li key={s.term} id={`${listId}-${i}`} role="option" aria-selected={i === active} onMouseDown={(e) => { e.preventDefault(); choose(s) }}>
            <span class="mono">{escapeInvisible(s.label)}</span><span class="means">{s.note}</span>
            {s.requests ? <span class="num">{formatCount(s.requests)}{facets?.sampled ? <span title="Only the newest requests were counted">+</span> : null}</span> : null}
          </li>
        ))}
      </ul>
      <span class="sr" role="status">{shown ? `${list.length} suggestions` : ''}</span>
    </>
  )
}

/** Loads the values of a field. While new ones load, the older ones of the same field stay. */
function useFacets(field: string | null, text: string, filter: string): FacetList | undefined {
  const [found, setFound] = useState<FacetList | undefined>()
  useEffect(() => {
    if (field === null) return
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const path = buildURL('/requests/facets', { field, text, filter, ...rangeQuery(currentRange()) })
      // Without values, the list has the fields and the fixed values only.
      callApi<FacetList>('GET', path, undefined, abort.signal).then(setFound, () => abort.signal.aborted || setFound(undefined))
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [field, text, filter])
  return found && found.field === field ? found : undefined
}
