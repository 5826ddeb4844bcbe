// A text area with line numbers.
import type { RefObject } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Problem } from './types'
import type { Position } from './work'

export interface Editor {
  text: string
  /** Called with the new text after a change. If it is missing, the text is read-only. */
  onText?: ((text: string) => void) | undefined
  onCheck?: () => void
  problems: Problem[]
  area: RefObject<HTMLTextAreaElement>
}

export function Editor(p: Editor) {
  const numbers = useRef<HTMLDivElement>(null)
  const bad = new Set(p.problems.map((x) => x.line))
  const lines = useMemo(() => p.text.split('\n').length, [p.text])
  const key = useEditorKeys(p)
  return (
    <div class="editor">
      <div class="numbers" aria-hidden="true" ref={numbers}>
        {Array.from({ length: lines }, (_, i) => <span key={i} class={bad.has(i + 1) ? 'bad' : ''}>{i + 1}</span>)}
      </div>
      <textarea
        ref={p.area} aria-label="Policy document" aria-describedby={p.onText ? 'editor-keys' : undefined} wrap="off" spellcheck={false}
        autocomplete="off" autocapitalize="off" readOnly={!p.onText} value={p.text} onKeyDown={key}
        onInput={(e) => p.onText?.(e.currentTarget.value)} onScroll={(e) => { if (numbers.current) numbers.current.scrollTop = e.currentTarget.scrollTop }}
      />
    </div>
  )
}

/** Handles keys: Ctrl+Enter checks the text, Tab indents. After Escape, Tab moves the focus as usual, so that keyboard users can leave the editor. */
function useEditorKeys(p: Editor): (e: KeyboardEvent) => void {
  const leaving = useRef(false)
  return (e) => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      p.onCheck?.()
    }
    const indents = e.key === 'Tab' && !e.shiftKey && !e.ctrlKey && !e.altKey && !leaving.current && p.onText
    leaving.current = e.key === 'Escape'
    if (!indents) return
    e.preventDefault()
    // execCommand is the only way to insert text that the browser can undo.
    document.execCommand('insertText', false, '  ')
  }
}

/** Moves the cursor to the position of a problem. */
export function moveCursorTo(area: HTMLTextAreaElement | null, at: Position): void {
  if (!area) return
  const lines = area.value.split('\n')
  const line = Math.min(Math.max(1, at.line), lines.length)
  const start = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.min(Math.max(0, at.column - 1), lines[line - 1]!.length)
  area.focus()
  area.setSelectionRange(start, start)
  area.scrollTop = (line - 4) * (area.scrollHeight / lines.length)
}
