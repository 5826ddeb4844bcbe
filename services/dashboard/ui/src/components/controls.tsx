// Controls built on the browser's own.
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A labelled input. What is wrong stands beside it, and is read with it. */
export function Field(props: {
  label: string
  hint?: string | undefined
  wrong?: string | undefined
  children: (control: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }) => JSX.Element
}) {
  const id = useId()
  const described = [props.hint && `${id}-hint`, props.wrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.hint ? <span class="hint" id={`${id}-hint`}>{props.hint}</span> : null}
      {props.children({ id, 'aria-describedby': described, 'aria-invalid': props.wrong ? true : undefined })}
      {props.wrong ? <span class="wrong" id={`${id}-wrong`}>{props.wrong}</span> : null}
    </div>
  )
}

/** A dialog over the page while open is true. */
export function Dialog(props: { open: boolean; title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything else is heard: what is typed at once is for the dialog.
  useLayoutEffect(() => {
    const d = ref.current
    if (!props.open || !d) return
    // It goes with its element, before the browser can give the focus back.
    const before = document.activeElement as HTMLElement | null
    if (!d.open) d.showModal()
    return () => before?.focus()
  }, [props.open])
  if (!props.open) return null
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={props.onClose} onClick={(e) => outside(e, e.currentTarget) && e.currentTarget.close()}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  )
}

/** Its edge is of the dialog too: only what is beyond it closes. A key that presses a button has no place. */
function outside(e: MouseEvent, d: HTMLDialogElement): boolean {
  if (e.target !== d) return false
  const at = d.getBoundingClientRect()
  return e.clientX < at.left || e.clientX > at.right || e.clientY < at.top || e.clientY > at.bottom
}

export interface Tab {
  id: string
  name: string
}

/** Tabs by arrow keys; the caller shows the panel. */
export function Tabs(props: { tabs: Tab[]; chosen: string; onChoose: (id: string) => void; label: string; children: ComponentChildren }) {
  const base = useId()
  const move = (e: KeyboardEvent) => {
    const i = props.tabs.findIndex((t) => t.id === props.chosen)
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
    if (!step) return
    e.preventDefault()
    const next = props.tabs[(i + step + props.tabs.length) % props.tabs.length]!
    props.onChoose(next.id)
    document.getElementById(`${base}-${next.id}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
        {props.tabs.map((t) => (
          <button
            key={t.id} id={`${base}-${t.id}`} type="button" role="tab" aria-selected={t.id === props.chosen}
            aria-controls={`${base}-panel`} tabIndex={t.id === props.chosen ? 0 : -1} onClick={() => props.onChoose(t.id)}
          >
            {t.name}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" tabIndex={0} aria-labelledby={`${base}-${props.chosen}`}>{props.children}</div>
    </>
  )
}

/** A button that opens a small panel below itself. */
export function Popover(props: { label: ComponentChildren; name: string; class?: string; children: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const id = useId()
  const place = () => {
    const at = button.current!.getBoundingClientRect()
    const el = panel.current!
    el.style.top = `${at.bottom + 4}px`
    el.style.left = `${Math.max(8, Math.min(at.left, innerWidth - el.offsetWidth - 8))}px`
  }
  return (
    <>
      <button ref={button} type="button" class={props.class ?? 'button'} popovertarget={id} aria-label={props.name} {...{ 'aria-haspopup': 'dialog' }}>
        {props.label}
      </button>
      <div ref={panel} id={id} popover="auto" role="dialog" aria-label={props.name} onToggle={(e) => e.newState === 'open' && place()}>
        {props.children}
      </div>
    </>
  )
}
