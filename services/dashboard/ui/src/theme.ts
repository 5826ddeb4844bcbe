// The color theme. Without a choice of the user it is the theme of the system.
// The choice is stored in a cookie, so that the server renders the chosen theme.
import { computed, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const root = document.documentElement

export const theme = signal<Theme>((root.dataset.theme as Theme) || 'system')

const darkQuery = matchMedia('(prefers-color-scheme: dark)')
const systemDark = signal(darkQuery.matches)
darkQuery.addEventListener('change', (e) => (systemDark.value = e.matches))

/** Whether the page is shown in dark colors. */
export const isDark = computed(() => theme.value === 'dark' || (theme.value === 'system' && systemDark.value))

export function setTheme(t: Theme): void {
  theme.value = t
  if (t === 'system') delete root.dataset.theme
  else root.dataset.theme = t
  const age = t === 'system' ? 0 : 365 * 24 * 3600
  document.cookie = `theme=${t}; Path=/; Max-Age=${age}; SameSite=Lax`
}
