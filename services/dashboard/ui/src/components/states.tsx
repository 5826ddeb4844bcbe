// What a part of a page shows while it has nothing, or nothing yet.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError, Loaded } from '../api'
import { clock } from '../format'

export function ErrorBox({ error, again }: { error: ApiError; again?: (() => void) | undefined }) {
  return (
    <div class="errorbox" role="alert">
      <p>{error.message}</p>
      <p class="code">
        {error.code}
        {error.requestId ? ` · request ${error.requestId}` : ''}
      </p>
      {again && helps(error) ? <button type="button" class="button small" onClick={again}>Try again</button> : null}
    </div>
  )
}

/** Whether the same call may be answered otherwise the next time. */
const helps = (e: ApiError): boolean => e.status === 0 || e.status === 408 || e.status === 429 || e.status >= 500

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="glyph" viewBox="0 0 112 24" aria-hidden="true"><path d="M1 6h46M48 1.5v9M12 6c14 0 16 12 32 12h58" /><circle cx="106.5" cy="18" r="4" /></svg>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Grey lines of the right height, shown only if the wait is long enough to be noticed. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [shown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="stack" aria-busy="true">
      <span class="sr" role="status">{shown ? 'Loading' : ''}</span>
      {shown ? Array.from({ length: rows }, (_, i) => <div class="skeleton" key={i} />) : null}
    </div>
  )
}

/** Shows what was loaded; an error stands above what is known from before, and says of when that is. */
export function Await<T>({ of, children, rows }: {
  of: Loaded<T> & { again: () => void }
  children: (data: T) => ComponentChildren
  rows?: number
}) {
  return (
    <>
      {of.error ? <ErrorBox error={of.error} again={of.again} /> : null}
      {of.error && of.data !== undefined ? <p class="meta">What is below was so at {clock(new Date(of.at).toISOString())}, and may have changed since.</p> : null}
      {of.busy && of.data !== undefined ? <div class="progress" aria-hidden="true" /> : null}
      {of.data !== undefined ? children(of.data) : of.error ? null : <Skeleton rows={rows ?? 6} />}
    </>
  )
}
