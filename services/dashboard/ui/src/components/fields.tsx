// Controlled form fields: the caller holds their values.
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api'
import { Field } from './controls'
import { ErrorBox } from './states'

export interface TextFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  hint?: string | undefined
  error?: string | undefined
  type?: 'text' | 'password' | 'date'
  /** The autocomplete attribute, for password managers. */
  autocomplete?: string
  required?: boolean
  numeric?: boolean
  list?: string
  disabled?: boolean
  /** Whether the field gets the focus when it appears. The attribute of that name works only while a page loads. */
  autofocus?: boolean
}

export function TextField(p: TextFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (p.autofocus) input.current?.focus()
  }, [])
  return (
    <Field label={p.label} hint={p.hint} error={p.error}>
      {(c) => (
        <input
          {...c} ref={input} type={p.type ?? 'text'} value={p.value} required={p.required} disabled={p.disabled} list={p.list} inputMode={p.numeric ? 'decimal' : undefined}
          autocomplete={p.autocomplete ?? 'off'} onInput={(e) => p.onChange(e.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function SelectField<T extends string>(p: { label: string; hint?: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void; disabled?: boolean }) {
  return (
    <Field label={p.label} hint={p.hint}>
      {(c) => (
        <select {...c} value={p.value} disabled={p.disabled} onChange={(e) => p.onChange(e.currentTarget.value as T)}>
          {p.options.map(([value, name]) => <option key={value} value={value} selected={value === p.value}>{name}</option>)}
        </select>
      )}
    </Field>
  )
}

/**
 * A form. Enter submits it. After an error, the invalid field gets the focus. An
 * error of a parameter that is not in fieldParams is shown above the fields.
 */
export function Form(p: { onSubmit: () => void; error: ApiError | undefined; fieldParams: string[]; children: ComponentChildren; class?: string }): JSX.Element {
  const hasFormError = p.error && !p.fieldParams.includes(String(p.error.details.param))
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (p.error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [p.error])
  return (
    <form ref={form} class={p.class ?? 'stack'} noValidate onSubmit={(e) => { e.preventDefault(); p.onSubmit() }}>
      {hasFormError ? <ErrorBox error={p.error!} /> : null}
      {p.children}
    </form>
  )
}

/** The buttons at the end of a form: Cancel, if the form can be cancelled, and the one that submits it. */
export function FormButtons(p: { submit: string; kind?: 'main' | 'danger'; busy: boolean; onCancel?: (() => void) | undefined }) {
  return (
    <div class="line end">
      {p.onCancel ? <button type="button" class="button" onClick={p.onCancel}>Cancel</button> : null}
      <button type="submit" class={`button ${p.kind ?? 'main'}`} disabled={p.busy}>{p.submit}</button>
    </div>
  )
}
