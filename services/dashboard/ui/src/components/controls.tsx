// Form fields, dialogs, tabs and popovers, built on the browser's own elements.
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A labelled input with a hint and an error message. Screen readers read both with the input. */
export function Field(props: {
  label: string
  hint?: string | undefined
  error?: string | undefined
  children: (control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }) => JSX.Element
}) {
  const id = useId()
  const described = [props.hint && `${id}-hint`, props.error && `${id}-wrong`].filter(Boolean).join(' ') || undefined
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.hint ? <span class="hint" id={`${id}-hint`}>{props.hint}</span> : null}
      {props.children({ id, 'aria-describedby': described, 'aria-invalid': props.error ? true : undefined })}
      {props.error ? <span class="wrong" id={`${id}-wrong`}>{props.error}</span> : null}
    </div>
  )
}

/** A modal dialog that is shown while open is true. */
export function Dialog(props: { open: boolean; title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A layout effect opens the dialog before the next key press, so that fast typing goes into the dialog.
  useLayoutEffect(() => {
    const d = ref.current
    if (!props.open || !d) return
    // The element is removed before the browser can restore the focus, so this effect restores the focus.
    const before = document.activeElement as HTMLElement | null
    if (!d.open) d.showModal()
    return () => before?.focus()
  }, [props.open])
  if (!props.open) return null
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={props.onClose} onClick={(e) => isOutside(e, e.currentTarget) && e.currentTarget.close()}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  )
}

/** Whether a click is on the backdrop. A click on the dialog's padding has the same target, so the position decides. */
function isOutside(e: MouseEvent, d: HTMLDialogElement): boolean {
  if (e.target !== d) return false
  const at = d.getBoundingClientRect()
  return e.clientX < at.left || e.clientX > at.right || e.clientY < at.top || e.clientY > at.bottom
}

export interface Tab {
  id: string
  name: string
}

/** Tabs with arrow-key navigation. The caller renders the selected panel as children. */
export function Tabs(props: { tabs: Tab[]; selected: string; onSelect: (id: string) => void; label: string; children: ComponentChildren }) {
  const base = useId()
  const move = (e: KeyboardEvent) => {
    const i = props.tabs.findIndex((t) => t.id === props.selected)
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
    if (!step) return
    e.preventDefault()
    const next = props.tabs[(i + step + props.tabs.length) % props.tabs.length]!
    props.onSelect(next.id)
    document.getElementById(`${base}-${next.id}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
        {props.tabs.map((t) => (
          <button
            key={t.id} id={`${base}-${t.id}`} type="button" role="tab" aria-selected={t.id === props.selected}
            aria-controls={`${base}-panel`} tabIndex={t.id === props.selected ? 0 : -1} onClick={() => props.onSelect(t.id)}
          >
            {t.name}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" tabIndex={0} aria-labelledby={`${base}-${props.selected}`}>{props.children}</div>
    </>
  )
}

/** A button that opens a small panel below it. label is for screen readers, and content is what the button shows. */
export function Popover(props: { content: ComponentChildren; label: string; class?: string; onOpen?: () => void; children: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const id = useId()
  const open = () => {
    props.onOpen?.()
    const at = button.current!.getBoundingClientRect()
    const el = panel.current!
    el.style.top = `${at.bottom + 4}px`
    el.style.left = `${Math.max(8, Math.min(at.left, innerWidth - el.offsetWidth - 8))}px`
  }
  return (
    <>
      <button ref={button} type="button" class={props.class ?? 'button'} popovertarget={id} aria-label={props.label} {...{ 'aria-haspopup': 'dialog' }}>
        {props.content}
      </button>
      <div ref={panel} id={id} popover="auto" role="dialog" aria-label={props.label} onToggle={(e) => e.newState === 'open' && open()}>
        {props.children}
      </div>
    </>
  )
}
