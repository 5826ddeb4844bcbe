// Keys of one letter, and sequences of two. They can be switched off, and are
// never heard while somebody types.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface Key {
  /** As it is written in the help: j, ?, Ctrl+K, g r. */
  key: string
  does: string
  run: () => void
}

const registered = signal<Key[]>([])

/** Every key that works at the moment, for the help. */
export const keys = registered

const off = 'signalbox.keys.off'
export const enabled = signal(localStorage.getItem(off) === null)

export function enable(on: boolean): void {
  enabled.value = on
  if (on) localStorage.removeItem(off)
  else localStorage.setItem(off, '1')
}

/** Adds keys while a component is there. */
export function useKeys(list: Key[], deps: unknown[] = []): void {
  useEffect(() => {
    registered.value = [...registered.value, ...list]
    return () => (registered.value = registered.value.filter((k) => !list.includes(k)))
  }, deps)
}

let first = ''
let firstAt = 0

document.addEventListener('keydown', (e) => {
  if (e.defaultPrevented || e.isComposing || e.altKey) return
  const held = e.ctrlKey || e.metaKey
  if (!held && (!enabled.value || typing(e.target))) return
  const name = held ? `Ctrl+${e.key.toUpperCase()}` : e.key
  const pair = performance.now() - firstAt < 1000 ? `${first} ${name}` : ''
  // The newest comes first: a dialog's keys hide those of the page below.
  const found = registered.value.findLast((k) => k.key === pair) ?? registered.value.findLast((k) => k.key === name)
  first = name
  firstAt = performance.now()
  if (!found) return
  e.preventDefault()
  found.run()
})

function typing(target: EventTarget | null): boolean {
  const el = target as HTMLElement | null
  return !!el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName))
}
