// The address is the state: pages read it from these signals, and change it by
// navigate and setParams alone.
import { computed, signal } from '@preact/signals'

const here = signal(new URL(location.href))

export const path = computed(() => here.value.pathname)
export const params = computed(() => here.value.searchParams)

addEventListener('popstate', () => (here.value = new URL(location.href)))

/** Goes to an address of ours, as a link does. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(to, here.value)
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  const moved = url.pathname !== here.value.pathname
  here.value = url
  if (moved) {
    scrollTo(0, 0)
    // A new page is announced by its heading.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true }))
  }
}

/** Changes some parameters of the address; null and the empty text take one out. */
export function setParams(change: Record<string, string | null>, how: 'push' | 'replace' = 'push'): void {
  navigate(withParams(change), how)
}

/** The present address with some parameters changed. */
export function withParams(change: Record<string, string | null>): string {
  const url = new URL(here.value)
  for (const [name, value] of Object.entries(change)) {
    if (value) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  }
  return url.pathname + url.search
}

/** An address with parameters; empty ones are left out. */
export function address(to: string, query: Record<string, string | null | undefined> = {}): string {
  const q = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) q.set(name, value)
  const text = q.toString()
  return text ? `${to}?${text}` : to
}

/** Follows plain clicks on our own links without leaving the page. */
export function followLinks(isOurs: (path: string) => boolean): void {
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
    const a = (e.target as Element).closest?.('a')
    if (!a || a.target || a.hasAttribute('download') || a.origin !== location.origin || !isOurs(a.pathname)) return
    if (a.hash && a.pathname === location.pathname) return
    e.preventDefault()
    navigate(a.href)
  })
}
