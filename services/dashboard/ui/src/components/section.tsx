import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A part of a page of settings: what it is about, beside what it has. */
export function Section({ title, about, children }: { title: string; about?: ComponentChildren; children: ComponentChildren }) {
  const id = useId()
  return (
    <section class="setting" aria-labelledby={id}>
      <div class="about"><h2 id={id}>{title}</h2>{about ? <p class="meta">{about}</p> : null}</div>
      <div class="stack">{children}</div>
    </section>
  )
}
