// The editor of the policy document. Its code is loaded when the rest of the page is shown. If
// that fails, a plain text area takes its place.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../../components/states'
import type { CodeEditor, Position } from './codeeditor'
import { entryNames, propose, type Words } from './complete'
import { locate } from './locate'
import type { Problem } from './types'
import { whenVisible } from './visible'

export interface EditorProps {
  text: string
  /** Called with the new text after a change. If it is missing, the text is read-only. */
  onText?: ((text: string) => void) | undefined
  onCheck?: () => void
  problems: Problem[]
  /** What completion can propose; undefined until it is loaded. */
  words: Words | undefined
  modelNames: string[]
  /** Where the cursor is at first. The page does not scroll there. */
  start?: Position | undefined
  /** The mounted editor. */
  handle: { current: EditorHandle | null }
}

export type EditorHandle = Pick<CodeEditor, 'go' | 'focus'>

type Code = typeof import('./codeeditor')

let loaded: Code | undefined

export function Editor(p: EditorProps) {
  const [code, setCode] = useState<Code | null | undefined>(loaded)
  useEffect(() => {
    if (!loaded) return whenIdle(() => import('./codeeditor').then((m) => setCode((loaded = m)), () => setCode(null)))
  }, [])
  return <div class="editor">{code ? <CodeArea {...p} code={code} /> : code === null ? <TextEditor {...p} /> : <Skeleton rows={8} />}</div>
}

/** Calls back when the browser has painted, so that a large script does not delay that. Returns what cancels it. Older versions of Safari have no idle callback. */
function whenIdle(then: () => void): () => void {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(then, 100)
    return () => clearTimeout(timer)
  }
  const id = requestIdleCallback(then, { timeout: 1000 })
  return () => cancelIdleCallback(id)
}

function CodeArea(p: EditorProps & { code: Code }) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(p)
  latest.current = p
  const editor = useRef<CodeEditor>()
  /** The texts that the editor reported and the page has not rendered yet. While the user types fast, the page is behind. */
  const reported = useRef<string[]>([])
  useEffect(() => {
    const now = p.code.createEditor(host.current!, {
      label: 'Policy document', description: 'Control and Space proposes words. To leave the editor, press Escape and then Tab.', text: p.text, readOnly: !p.onText,
      onText: (text) => {
        reported.current.push(text)
        latest.current.onText?.(text)
      },
      onSubmit: () => latest.current.onCheck?.(), complete: (...at) => complete(latest.current, ...at),
    })
    editor.current = p.handle.current = now
    const stopWaiting = p.start ? whenVisible(host.current!, () => now.go(p.start!, false)) : null
    return () => {
      stopWaiting?.()
      now.destroy()
    }
  }, [])
  useEffect(() => {
    const own = reported.current.lastIndexOf(p.text)
    reported.current.splice(0, own + 1)
    if (own < 0) editor.current!.setText(p.text)
  }, [p.text])
  useEffect(() => editor.current!.setMarks(p.problems.map((x) => ({ ...x, message: x.did_you_mean ? `${x.message}. Did you mean ${x.did_you_mean}?` : x.message }))), [p.problems])
  // The page sees the events of a shadow root as events of its host, and would take typed letters for shortcuts.
  return <div class="codeeditor" ref={host} onKeyDown={(e) => { if (!e.ctrlKey && !e.metaKey) e.stopPropagation() }} />
}

/** Proposes what fits while a word is typed, or when the user asks for it. */
function complete(p: EditorProps, text: string, at: number, isRequested: boolean) {
  const place = p.words ? locate(text, at) : null
  if (!place || (place.typed === '' && !isRequested)) return null
  const models = [...new Set([...entryNames(text, 'models'), ...entryNames(text, 'routes'), ...p.modelNames])]
  const options = propose(place, p.words!, { models, providers: entryNames(text, 'providers') })
  return options.length === 0 ? null : { from: place.from, options: options.map((o) => ({ label: o.label, detail: o.kind, apply: o.insert })) }
}

/** A text area with line numbers. */
export function TextEditor(p: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLDivElement>(null)
  const bad = new Set(p.problems.map((x) => x.line))
  const lines = useMemo(() => p.text.split('\n').length, [p.text])
  const key = useEditorKeys(p)
  useEffect(() => {
    p.handle.current = { go: (to, scrolls) => moveCursorTo(area.current, to, scrolls), focus: () => area.current?.focus() }
    return p.start ? whenVisible(area.current!, () => p.handle.current?.go(p.start!, false)) : undefined
  }, [])
  return (
    <>
      <div class="numbers" aria-hidden="true" ref={numbers}>
        {Array.from({ length: lines }, (_, i) => <span key={i} class={bad.has(i + 1) ? 'bad' : ''}>{i + 1}</span>)}
      </div>
      <textarea
        ref={area} aria-label="Policy document" aria-describedby={p.onText ? 'editor-keys' : undefined} wrap="off" spellcheck={false}
        autocomplete="off" autocapitalize="off" readOnly={!p.onText} value={p.text} onKeyDown={key}
        onInput={(e) => p.onText?.(e.currentTarget.value)} onScroll={(e) => { if (numbers.current) numbers.current.scrollTop = e.currentTarget.scrollTop }}
      />
    </>
  )
}

/** Handles keys: Ctrl+Enter checks the text, Tab indents. After Escape, Tab moves the focus as usual, so that keyboard users can leave the editor. */
function useEditorKeys(p: EditorProps): (e: KeyboardEvent) => void {
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

/** Moves the cursor to a position. */
function moveCursorTo(area: HTMLTextAreaElement | null, at: Position, scrolls = true): void {
  if (!area) return
  const lines = area.value.split('\n')
  const line = Math.min(Math.max(1, at.line), lines.length)
  const start = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.min(Math.max(0, at.column - 1), lines[line - 1]!.length)
  area.focus({ preventScroll: !scrolls })
  area.setSelectionRange(start, start)
  area.scrollTop = (line - 4) * (area.scrollHeight / lines.length)
}
