// The URL holds the state of the pages. Pages read it from these signals and
// change it only through navigate and setParams.
import { computed, signal } from '@preact/signals'

const currentURL = signal(new URL(location.href))

export const currentPath = computed(() => currentURL.value.pathname)
export const params = computed(() => currentURL.value.searchParams)
/** The part after #. It is an object, so that opening the same anchor again is a change. */
export const currentAnchor = computed(() => ({ name: currentURL.value.hash.slice(1) }))

addEventListener('popstate', () => (currentURL.value = new URL(location.href)))

/** Opens a URL of the dashboard without reloading the page. */
export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(to, currentURL.value)
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  const moved = url.pathname !== currentURL.value.pathname
  currentURL.value = url
  if (moved) {
    scrollTo(0, 0)
    // Focus the heading, so that screen readers announce the new page.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true }))
  }
}

/** Changes query parameters of the URL. null or an empty string removes a parameter. */
export function setParams(change: Record<string, string | null>, how: 'push' | 'replace' = 'push'): void {
  navigate(withParams(change), how)
}

/** Returns the current URL with changed query parameters. */
export function withParams(change: Record<string, string | null>): string {
  const url = new URL(currentURL.value)
  for (const [name, value] of Object.entries(change)) {
    if (value) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  }
  return url.pathname + url.search
}

/** Builds a URL with query parameters. Empty parameters are left out. */
export function buildURL(to: string, query: Record<string, string | null | undefined> = {}): string {
  const q = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) q.set(name, value)
  const text = q.toString()
  return text ? `${to}?${text}` : to
}

/** Decodes a part of a path. A part that is not encoded correctly stays as it is. */
export function decodePath(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Makes plain clicks on links to the dashboard's pages open them without reloading. */
export function interceptLinks(isOwnPath: (path: string) => boolean): void {
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
    const a = (e.target as Element).closest?.('a')
    if (!a || a.target || a.hasAttribute('download') || a.origin !== location.origin || !isOwnPath(a.pathname)) return
    if (a.hash && a.pathname === location.pathname) return
    e.preventDefault()
    navigate(a.href)
  })
}
