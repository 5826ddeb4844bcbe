// Fields of forms whose values somebody else keeps.
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api'
import { Field } from './controls'
import { ErrorBox } from './states'

export interface Text {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string | undefined
  wrong?: string | undefined
  type?: 'text' | 'password' | 'date'
  /** What a password manager is told about it. */
  fill?: string
  need?: boolean
  number?: boolean
  list?: string
  off?: boolean
}

export function TextField(p: Text) {
  return (
    <Field label={p.label} hint={p.hint} wrong={p.wrong}>
      {(c) => (
        <input
          {...c} type={p.type ?? 'text'} value={p.value} required={p.need} disabled={p.off} list={p.list} inputMode={p.number ? 'decimal' : undefined}
          autocomplete={p.fill ?? 'off'} onInput={(e) => p.onChange(e.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function Choice<T extends string>(p: { label: string; hint?: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void; off?: boolean }) {
  return (
    <Field label={p.label} hint={p.hint}>
      {(c) => (
        <select {...c} value={p.value} disabled={p.off} onChange={(e) => p.onChange(e.currentTarget.value as T)}>
          {p.options.map(([value, name]) => <option key={value} value={value} selected={value === p.value}>{name}</option>)}
        </select>
      )}
    </Field>
  )
}

/** A form that sends itself by Enter. An error leads to its field; one of no field stands above all of them. */
export function Form(p: { onSend: () => void; error: ApiError | undefined; shown: string[]; children: ComponentChildren; class?: string }): JSX.Element {
  const own = p.error && !p.shown.includes(String(p.error.details.param))
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (p.error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [p.error])
  return (
    <form ref={form} class={p.class ?? 'stack'} noValidate onSubmit={(e) => { e.preventDefault(); p.onSend() }}>
      {own ? <ErrorBox error={p.error!} /> : null}
      {p.children}
    </form>
  )
}
