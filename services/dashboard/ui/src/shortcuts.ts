// Keyboard shortcuts: Ctrl combinations, single keys, and sequences of two keys.
// The user can disable single keys and sequences. Single keys and sequences also
// do nothing while a form field has the focus.
import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

export interface Shortcut {
  /** The key as the help dialog shows it, such as j, ?, Ctrl+K or g r. */
  key: string
  description: string
  run: () => void
}

const registered = signal<Shortcut[]>([])

/** Every shortcut that works at the moment, for the help dialog. */
export const shortcuts = registered

const disabledStorageKey = 'signalbox.keys.off'
export const shortcutsEnabled = signal(localStorage.getItem(disabledStorageKey) === null)

export function enableShortcuts(on: boolean): void {
  shortcutsEnabled.value = on
  if (on) localStorage.removeItem(disabledStorageKey)
  else localStorage.setItem(disabledStorageKey, '1')
}

/** Registers shortcuts while the component is mounted. They work as soon as the component is visible: a key that is pressed then must not be lost. */
export function useShortcuts(list: Shortcut[], deps: unknown[] = []): void {
  useLayoutEffect(() => {
    registered.value = [...registered.value, ...list]
    return () => (registered.value = registered.value.filter((k) => !list.includes(k)))
  }, deps)
}

let previousKey = ''
let previousKeyAt = 0

document.addEventListener('keydown', (e) => {
  if (e.defaultPrevented || e.isComposing || e.altKey) return
  const held = e.ctrlKey || e.metaKey
  if (!held && (!shortcutsEnabled.value || isEditable(e.target))) return
  const name = held ? `Ctrl+${e.key.toUpperCase()}` : e.key
  // The time of the event, not of this call: a busy page may handle a key seconds after it was pressed.
  const pair = e.timeStamp - previousKeyAt < 1000 ? `${previousKey} ${name}` : ''
  // The newest registration wins: a dialog's shortcuts hide those of the page.
  const found = registered.value.findLast((k) => k.key === pair) ?? registered.value.findLast((k) => k.key === name)
  previousKey = name
  previousKeyAt = e.timeStamp
  if (!found) return
  e.preventDefault()
  found.run()
})

function isEditable(target: EventTarget | null): boolean {
  const el = target as HTMLElement | null
  return !!el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName))
}
