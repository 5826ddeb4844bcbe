// The filter as text and as buttons over it. What the server does not
// understand stays as it was typed, with its place and what was meant.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from '../api'
import { useKeys } from '../keys'
import { params, setParams } from '../router'
import { add, remove, split } from '../words'

const fields = [
  ['route:fallback', 'Fallbacks'],
  ['route:policy', 'By policy'],
  ['has:error', 'Errors'],
  ['stream:true', 'Streams'],
  ['kept:<0', 'Cost more'],
  ['is:unpriced', 'Without a price'],
  ['latency:>2s', 'Slower than 2 s'],
] as const

export function QueryBar({ error }: { error: ApiError | undefined }) {
  const q = params.value.get('q') ?? ''
  const [typed, setTyped] = useState(q)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(q), [q])
  useKeys([{ key: '/', does: 'type a filter', run: () => input.current?.focus() }])
  const set = (text: string) => setParams({ q: text.trim() || null })
  const bad = error && error.details.param === 'filter' ? error : undefined
  return (
    <div class="query">
      <form role="search" onSubmit={(e) => { e.preventDefault(); set(typed) }}>
        <label class="sr" for="q">Filter</label>
        <input
          id="q" ref={input} type="search" class="mono" value={typed} spellcheck={false} autocomplete="off"
          placeholder='model:gpt* -status:200 latency:>2s, or an id, a name, an error'
          aria-invalid={bad ? true : undefined} aria-describedby={bad ? 'q-wrong' : undefined}
          onInput={(e) => setTyped(e.currentTarget.value)} onKeyDown={(e) => e.key === 'Escape' && input.current?.blur()}
        />
        <button class="button" type="submit">Filter</button>
      </form>
      {bad ? <Wrong error={bad} filter={q} onTake={(t) => set(t)} /> : null}
      <div class="words" aria-label="Filters" role="group">
        {split(q).map((w) => (
          <button key={w} type="button" class="button small on" onClick={() => set(remove(q, w))} aria-label={`Remove ${w}`}>
            <span class="mono">{w}</span> <span aria-hidden="true">✕</span>
          </button>
        ))}
        {fields.filter(([w]) => !split(q).includes(w)).map(([w, name]) => (
          <button key={w} type="button" class="button small quiet" onClick={() => set(add(q, w))}>{name}</button>
        ))}
      </div>
    </div>
  )
}

function Wrong({ error, filter, onTake }: { error: ApiError; filter: string; onTake: (text: string) => void }) {
  const at = Number(error.details.position ?? -1)
  const length = Number(error.details.length ?? 0)
  const letters = [...filter]
  const meant = error.details.did_you_mean
  const wrong = letters.slice(at, at + length).join('')
  const right = (meant: string) => [...letters.slice(0, at), wrong.replace(String(error.details.field), () => meant), ...letters.slice(at + length)].join('')
  return (
    <p id="q-wrong" class="lost" role="alert">
      {error.message}
      {at >= 0 && wrong ? <>: <mark class="mono">{wrong}</mark></> : null}
      {typeof meant === 'string' && error.details.field && wrong ? (
        <> · <button type="button" class="button small" onClick={() => onTake(right(meant))}>Use {meant}</button></>
      ) : null}
    </p>
  )
}
