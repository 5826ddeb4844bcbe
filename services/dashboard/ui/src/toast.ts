// Short messages about what happened. They appear on screen for five seconds,
// and screen readers announce them.
import { signal } from '@preact/signals'

export const toastText = signal('')

let timer = 0

export function showToast(text: string): void {
  toastText.value = text
  clearTimeout(timer)
  timer = window.setTimeout(() => (toastText.value = ''), 5000)
}
