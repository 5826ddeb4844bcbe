// What a page shows while data loads, when loading fails, and when there is no
// data.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError, Loadable } from '../api'
import { formatClock } from '../format'

export function ErrorBox({ error, onRetry }: { error: ApiError; onRetry?: (() => void) | undefined }) {
  return (
    <div class="errorbox" role="alert">
      <p>{error.message}</p>
      <p class="code">
        {error.code}
        {error.requestId && error.status !== 404 ? ` · API call ${error.requestId}` : ''}
        {typeof error.details.docs === 'string' ? <> · <a href={error.details.docs}>Explain this error</a></> : null}
      </p>
      {onRetry && canRetry(error) ? <button type="button" class="button small" onClick={onRetry}>Try again</button> : null}
    </div>
  )
}

/** Whether the same call may succeed the next time. */
const canRetry = (e: ApiError): boolean => e.status === 0 || e.status === 408 || e.status === 429 || e.status >= 500

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg class="glyph" viewBox="0 0 112 24" aria-hidden="true"><path d="M1 6h46M48 1.5v9M12 6c14 0 16 12 32 12h58" /><circle cx="106.5" cy="18" r="4" /></svg>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Grey placeholder lines. They appear after 150 ms, so that fast responses do not flicker. What follows on the page is hidden until then, so that nothing moves (parts.css). */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [shown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="stack loading" aria-busy="true">
      <span class="sr" role="status">{shown ? 'Loading' : ''}</span>
      {shown ? Array.from({ length: rows }, (_, i) => <div class="skeleton" key={i} />) : null}
    </div>
  )
}

/** Renders loaded data. After an error, older data stays visible below the error, with the time when it was loaded. */
export function Await<T>({ of, children, rows }: {
  of: Loadable<T>
  children: (data: T) => ComponentChildren
  rows?: number
}) {
  return (
    <>
      {of.error ? <ErrorBox error={of.error} onRetry={of.reload} /> : null}
      {of.error && of.data !== undefined ? <p class="meta">The data below is from {formatClock(new Date(of.loadedAt).toISOString())} and may be out of date.</p> : null}
      {of.loading && of.data !== undefined ? <div class="progress" aria-hidden="true" /> : null}
      {of.data !== undefined ? children(of.data) : of.error ? null : <Skeleton rows={rows ?? 6} />}
    </>
  )
}
