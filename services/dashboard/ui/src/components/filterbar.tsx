// The filter as editable text, with its terms and common filters as buttons. If
// the server rejects a filter, the text stays and the invalid term is marked.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api'
import { addTerm, removeTerm, splitFilter } from '../filter'
import { lazyPart } from '../lazy'
import { params, setParams } from '../router'
import { useShortcuts } from '../shortcuts'

const Suggestions = lazyPart(async () => (await import('./suggestions')).Suggestions)

const quickFilters = [
  ['route:fallback', 'Fallback'],
  ['route:policy', 'Policy'],
  ['has:error', 'Errors'],
  ['stream:true', 'Streaming'],
  ['saved:<0', 'Cost more than default model'],
  ['is:unpriced', 'Unknown price'],
  ['latency:>2s', 'Slower than 2 s'],
] as const

export function FilterBar({ error }: { error: ApiError | undefined }) {
  const q = params.value.get('q') ?? ''
  const [typed, setTyped] = useState(q)
  const [used, setUsed] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(q), [q])
  useShortcuts([{ key: '/', description: 'Edit the filter', run: () => input.current?.focus() }])
  const set = (text: string) => setParams({ q: text.trim() || null })
  // The browser would empty the box, although the filter stays in force.
  const leaveOnEscape = (e: KeyboardEvent) => {
    if (e.key !== 'Escape') return
    e.preventDefault()
    setTyped(q)
    input.current?.blur()
  }
  const filterError = error && error.details.param === 'filter' ? error : undefined
  return (
    <div class="query">
      <form role="search" onSubmit={(e) => { e.preventDefault(); set(typed) }}>
        <label class="sr" for="q">Filter</label>
        <input
          id="q" ref={input} type="search" class="mono" value={typed} spellcheck={false} autocomplete="off"
          placeholder='model:gpt* agent:codex -status:200 latency:>2s, or any ID, name or error'
          aria-invalid={filterError ? true : undefined} aria-describedby={filterError ? 'q-wrong' : undefined}
          onInput={(e) => setTyped(e.currentTarget.value)} onKeyDown={leaveOnEscape} onFocus={() => setUsed(true)}
        />
        {used ? <Suggestions input={input.current!} typed={typed} onType={setTyped} /> : null}
        <button class="button" type="submit">Filter</button>
      </form>
      {filterError ? <FilterError error={filterError} filter={q} onFix={(t) => set(t)} /> : null}
      <div class="words" aria-label="Filters" role="group">
        {splitFilter(q).map((w) => (
          <button key={w} type="button" class="button small on" onClick={() => set(removeTerm(q, w))} aria-label={`Remove ${w}`}>
            <span class="mono">{w}</span> <span aria-hidden="true">✕</span>
          </button>
        ))}
        {quickFilters.filter(([w]) => !splitFilter(q).includes(w)).map(([w, name]) => (
          <button key={w} type="button" class="button small quiet" onClick={() => set(addTerm(q, w))}>{name}</button>
        ))}
      </div>
    </div>
  )
}

function FilterError({ error, filter, onFix }: { error: ApiError; filter: string; onFix: (text: string) => void }) {
  const at = Number(error.details.position ?? -1)
  const length = Number(error.details.length ?? 0)
  const letters = [...filter]
  const suggestion = error.details.did_you_mean
  const wrongTerm = letters.slice(at, at + length).join('')
  const fixFilter = (meant: string) => [...letters.slice(0, at), wrongTerm.replace(String(error.details.field), () => meant), ...letters.slice(at + length)].join('')
  return (
    <p id="q-wrong" class="lost" role="alert">
      {error.message}
      {at >= 0 && wrongTerm ? <>: <mark class="mono">{wrongTerm}</mark></> : null}
      {typeof suggestion === 'string' && error.details.field && wrongTerm ? (
        <> · <button type="button" class="button small" onClick={() => onFix(fixFilter(suggestion))}>Use {suggestion}</button></>
      ) : null}
    </p>
  )
}
