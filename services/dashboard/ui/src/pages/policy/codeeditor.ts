// The code editor: CodeMirror with highlighting, completion and problems. It is a chunk of its
// own and imports nothing of the pages, so that no page loads a part of it.
import { autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete'
import { history, historyKeymap, indentWithTab, standardKeymap, toggleComment } from '@codemirror/commands'
import { HighlightStyle, indentUnit, StreamLanguage, type StreamParser, syntaxHighlighting } from '@codemirror/language'
import { yaml } from '@codemirror/legacy-modes/mode/yaml'
import { nextDiagnostic, setDiagnostics } from '@codemirror/lint'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** A position in a text, from line 1 and column 1. */
export interface Position {
  line: number
  column: number
}

export interface Mark extends Position {
  message: string
  code: string
}

export interface CodeEditorOptions {
  label: string
  /** How to use the editor, for screen readers. */
  description: string
  text: string
  readOnly: boolean
  onText: (text: string) => void
  /** Called for Ctrl+Enter. */
  onSubmit: () => void
  /** What fits at an offset. It starts at from. */
  complete: (text: string, at: number, isRequested: boolean) => { from: number; options: { label: string; detail: string; apply: string }[] } | null
}

export interface CodeEditor {
  setText: (text: string) => void
  setMarks: (marks: Mark[]) => void
  go: (to: Position, scrolls?: boolean) => void
  focus: () => void
  destroy: () => void
}

/** The mode does not recognize the first name after a brace, because it takes the name before the brace for the current one. */
const yamlMode: StreamParser<YamlState> = {
  ...(yaml as StreamParser<YamlState>),
  token: (stream, state) => {
    const opens = stream.peek() === '{'
    const style = (yaml as StreamParser<YamlState>).token(stream, state)
    if (opens && style === 'meta') state.pair = state.pairStart = false
    return style
  },
}

/** The part of the mode's state that yamlMode changes. */
interface YamlState {
  pair: boolean
  pairStart: boolean
}

/** Marks changes that the page made, so that they are not reported as typed. */
const fromPage = Annotation.define<true>()

/** Creates an editor in an element. */
export function createEditor(host: HTMLElement, o: CodeEditorOptions): CodeEditor {
  // In a shadow root, CodeMirror's styles are constructed sheets, which the content security policy allows.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: o.text, extensions: extensionsFor(o) }) })
  return {
    setText: (text) => replaceText(view, text),
    setMarks: (marks) => view.dispatch(setDiagnostics(view.state, marks.map((m) => toDiagnostic(view.state, m)))),
    go: (to, scrolls = true) => {
      const offset = offsetOf(view.state, to)
      view.focus()
      view.dispatch({ selection: { anchor: offset }, effects: scrolls ? EditorView.scrollIntoView(offset, { y: 'center' }) : [] })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function extensionsFor(o: CodeEditorOptions): Extension[] {
  return [
    lineNumbers(), history(), drawSelection(), StreamLanguage.define(yamlMode), syntaxHighlighting(colors), indentUnit.of('  '), theme,
    EditorState.readOnly.of(o.readOnly),
    EditorView.contentAttributes.of({ 'aria-label': o.label, 'aria-description': o.description, 'aria-readonly': String(o.readOnly), spellcheck: 'false', autocapitalize: 'off', tabindex: '0' }),
    autocompletion({
      icons: false,
      override: [(c) => {
        const found = o.readOnly ? null : o.complete(c.state.doc.toString(), c.pos, c.explicit)
        return found && { ...found, validFor: /^[\w./@#-]*$/ }
      }],
    }),
    keymap.of([
      { key: 'Mod-Enter', run: () => (o.onSubmit(), true) },
      { key: 'F8', run: nextDiagnostic }, { key: 'Alt-/', run: startCompletion }, { key: 'Mod-/', run: toggleComment },
      ...completionKeymap, ...historyKeymap, indentWithTab, ...standardKeymap,
    ]),
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !u.transactions.some((t) => t.annotation(fromPage))) o.onText(u.state.doc.toString())
    }),
  ]
}

/** Replaces the part of the text that differs, so that the cursor and the history stay. */
function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString()
  if (old === text) return
  const shorter = Math.min(old.length, text.length)
  let from = 0, end = 0
  while (from < shorter && old[from] === text[from]) from++
  while (end < shorter - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++
  view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) }, annotations: fromPage.of(true) })
}

function offsetOf(state: EditorState, at: Position): number {
  const line = state.doc.line(Math.min(Math.max(1, at.line), state.doc.lines))
  return Math.min(line.to, line.from + Math.max(0, at.column - 1))
}

/** Underlines the word at the position, or the end of the line. */
function toDiagnostic(state: EditorState, m: Mark) {
  const from = offsetOf(state, m)
  const line = state.doc.lineAt(from)
  const word = /^[^\s,:{}[\]]+/.exec(line.text.slice(from - line.from))?.[0] ?? ''
  return { from, to: from + word.length, severity: 'error' as const, message: m.message, source: m.code }
}

const colors = HighlightStyle.define([
  { tag: tags.atom, color: 'var(--link)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.string, tags.number, tags.keyword], color: 'var(--saved)' },
  { tag: tags.meta, color: 'var(--ink-3)' },
])

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '13px/20px var(--mono)', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--ink-3)', borderRight: '1px solid var(--line)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--selected)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line-strong)', borderRadius: '2px' },
  '.cm-tooltip-autocomplete > ul': { font: '13px/20px var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '&.cm-editor .cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
  '.cm-diagnostic': { font: '13px/20px var(--sans)', maxWidth: '60ch' },
  '.cm-diagnosticSource': { color: 'var(--ink-3)', opacity: '1' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--lost)' },
})
