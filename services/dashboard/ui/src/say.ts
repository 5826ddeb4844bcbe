// What happened, in a sentence that everybody gets: on the screen for a while,
// and to those who listen.
import { signal } from '@preact/signals'

export const said = signal('')

let timer = 0

export function say(text: string): void {
  said.value = text
  clearTimeout(timer)
  timer = window.setTimeout(() => (said.value = ''), 5000)
}
