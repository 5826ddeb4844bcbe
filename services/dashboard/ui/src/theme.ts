// Light or dark: as the system has it, unless the reader chose. The choice is a
// cookie, so that the server can paint the first byte right.
import { computed, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const root = document.documentElement

export const theme = signal<Theme>((root.dataset.theme as Theme) || 'system')

const system = matchMedia('(prefers-color-scheme: dark)')
const systemDark = signal(system.matches)
system.addEventListener('change', (e) => (systemDark.value = e.matches))

/** Whether the page is dark now. */
export const dark = computed(() => theme.value === 'dark' || (theme.value === 'system' && systemDark.value))

export function choose(t: Theme): void {
  theme.value = t
  if (t === 'system') delete root.dataset.theme
  else root.dataset.theme = t
  const age = t === 'system' ? 0 : 365 * 24 * 3600
  document.cookie = `theme=${t}; Path=/; Max-Age=${age}; SameSite=Lax`
}
