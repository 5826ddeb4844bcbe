import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { currentAnchor } from '../router'

/** Shows the section and focuses its first field whenever an address with its anchor is opened. */
export function useAnchor(anchor: string | undefined, section: RefObject<HTMLElement>): void {
  const opened = currentAnchor.value
  // The browser looks for the anchor before the section is loaded.
  useEffect(() => {
    if (!anchor || opened.name !== anchor) return
    section.current?.scrollIntoView()
    section.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [anchor, opened])
}

/**
 * A section of a settings page: title, description and a link to its documentation beside its
 * content. An address that ends in # and the anchor opens the page at the section's first field.
 */
export function Section({ title, description, docs, anchor, children }: { title: string; description?: ComponentChildren; docs?: string; anchor?: string; children: ComponentChildren }) {
  const id = useId()
  const section = useRef<HTMLElement>(null)
  useAnchor(anchor, section)
  return (
    <section class="setting" id={anchor} ref={section} aria-labelledby={id}>
      <div class="about"><h2 id={id}>{title}</h2>{description ? <p class="meta">{description}</p> : null}{docs ? <p class="meta"><a href={docs}>Docs<span class="sr">: {title}</span></a></p> : null}</div>
      <div class="stack">{children}</div>
    </section>
  )
}
