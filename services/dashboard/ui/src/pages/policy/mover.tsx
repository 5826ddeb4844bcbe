// Moves rules of the draft by drag, by buttons or by keys.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../../api'
import { ErrorBox } from '../../components/states'
import { useMutation } from '../../mutation'
import { ruleKey } from './rules'
import type { Rule } from './types'
import type { Work } from './work'

type Direction = 'up' | 'down'

export interface Mover {
  enabled: boolean
  /** What the last move did, for screen readers. */
  message: string
  error: ComponentChildren
  move: (r: Rule, to: number, count: number, by?: Direction) => void
  buttonId: (r: Rule, by: Direction) => string
  onKey: (e: KeyboardEvent, r: Rule, count: number) => void
  onDragStart: (e: DragEvent, r: Rule) => void
  allowDrop: (e: DragEvent, r: Rule) => boolean
  onDrop: (e: DragEvent, r: Rule, count: number) => void
}

const buttonId = (r: Rule, by: Direction): string => `move-${by}-${encodeURIComponent(ruleKey(r))}`

export function useMover(work: Work): Mover {
  const change = useMutation()
  const [message, setMessage] = useState('')
  const dragged = useRef<Rule | null>(null)
  const focusNext = useRef<string | null>(null)
  // Moving a row takes the focus away from its button.
  useEffect(() => {
    if (focusNext.current) document.getElementById(focusNext.current)?.focus()
    focusNext.current = null
  })
  const move = (r: Rule, to: number, count: number, by?: Direction) => {
    if (work.readOnly || to < 0 || to >= count || to === r.index) return
    void change.run(async () => {
      const moved = await callApi<{ document: string; rules: Rule[] }>('POST', '/policy/rules/move', { document: work.text, route: r.route, from: r.index, to })
      if (by) focusNext.current = buttonId(r, by)
      work.replace(moved.document, moved.rules)
      setMessage(`${r.name ?? `Rule ${r.index + 1}`} is now rule ${to + 1} of ${count} of ${r.route} in the draft.`)
    })
  }
  return {
    enabled: !work.readOnly, message, move, buttonId,
    error: change.error ? <ErrorBox error={change.error} /> : null,
    onKey: (e, r, count) => {
      const by = e.altKey && !e.ctrlKey && !e.metaKey ? ({ ArrowUp: 'up', ArrowDown: 'down' } as const)[e.key] : undefined
      if (!by) return
      e.preventDefault()
      move(r, r.index + (by === 'up' ? -1 : 1), count, by)
    },
    onDragStart: (e, r) => {
      dragged.current = r
      if (e.dataTransfer) e.dataTransfer.effectAllowed = 'move'
      e.dataTransfer?.setData('text/plain', r.label)
    },
    allowDrop: (e, r) => {
      const ok = dragged.current !== null && dragged.current.route === r.route && dragged.current.index !== r.index
      if (ok) e.preventDefault()
      return ok
    },
    onDrop: (e, r, count) => {
      const from = dragged.current
      dragged.current = null
      if (!from || from.route !== r.route) return
      e.preventDefault()
      move(from, r.index, count)
    },
  }
}
