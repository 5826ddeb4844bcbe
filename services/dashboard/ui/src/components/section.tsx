import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A section of a settings page: title, description and a link to its documentation beside its content. */
export function Section({ title, description, docs, children }: { title: string; description?: ComponentChildren; docs?: string; children: ComponentChildren }) {
  const id = useId()
  return (
    <section class="setting" aria-labelledby={id}>
      <div class="about"><h2 id={id}>{title}</h2>{description ? <p class="meta">{description}</p> : null}{docs ? <p class="meta"><a href={docs}>Docs<span class="sr">: {title}</span></a></p> : null}</div>
      <div class="stack">{children}</div>
    </section>
  )
}
