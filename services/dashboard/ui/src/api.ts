// Talks to /api/v1. Answers are kept by their address and shown again at once
// while a fresh one is on its way.
import { signal, type Signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'

/** Money in nano-USD; beyond what a number holds exactly it is a bigint. */
export type Nano = number | bigint

/** What went wrong, as the server says it, or as the browser does. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly details: Record<string, unknown> = {},
    readonly requestId: string | null = null,
  ) {
    super(message)
  }

  /** It may be over by itself: the server is away, or cannot at the moment. */
  get passing(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** Reads JSON without losing digits of money. */
export function parse(text: string): any {
  return JSON.parse(text, function (key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /(^|_)nano_usd$/.test(key) && context?.source) {
      return BigInt(context.source)
    }
    return value
  } as (key: string, value: unknown) => unknown)
}

/** Makes a call. A session that has ended leads to the sign-in page. */
export async function call<T>(method: string, to: string, body?: unknown, abort?: AbortSignal): Promise<T> {
  let res: Response, text: string
  try {
    res = await fetch('/api/v1' + to, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: abort ?? null,
    })
    text = await res.text()
  } catch {
    throw new ApiError('The server cannot be reached.', 'OFFLINE', 0)
  }
  if (res.ok) return read(res, text)
  if (res.status === 401) location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
  throw failure(res, text)
}

function read<T>(res: Response, text: string): T {
  try {
    return (text ? parse(text) : undefined) as T
  } catch {
    throw unexpected(res)
  }
}

/** With a capital, as sentences have: the API says it as a part of one. A name in quotes or a field's own stays. */
const sentence = (text: string): string => (/^[a-z]+[ ,.:;]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text)

function failure(res: Response, text: string): ApiError {
  try {
    const e = JSON.parse(text)
    return new ApiError(sentence(String(e.error)), String(e.code), res.status, e.details ?? {}, res.headers.get('x-request-id'))
  } catch {
    return unexpected(res)
  }
}

const unexpected = (res: Response): ApiError =>
  new ApiError('The server answered something else than expected.', 'BAD_ANSWER', res.status, {}, res.headers.get('x-request-id'))

/** What is known of an address at the moment. */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | undefined
  /** A fresh answer is on its way; data may be an older one. */
  busy: boolean
  /** When data was had. */
  at: number
}

interface Entry {
  state: Signal<Loaded<unknown>>
  abort: AbortController | undefined
  readers: number
  retry: number
}

const nothing: Loaded<unknown> = { data: undefined, error: undefined, busy: false, at: 0 }

const kept = new Map<string, Entry>()
const mostKept = 50

function entry(to: string): Entry {
  let e = kept.get(to)
  if (!e) {
    for (const [name, old] of kept) {
      if (kept.size < mostKept) break
      if (old.readers === 0) kept.delete(name)
    }
    e = { state: signal(nothing), abort: undefined, readers: 0, retry: 0 }
    kept.set(to, e)
  }
  return e
}

/** Asks again; whoever shows that address is told. */
export async function refresh(to: string): Promise<void> {
  const e = entry(to)
  e.abort?.abort()
  const abort = (e.abort = new AbortController())
  e.state.value = { ...e.state.value, busy: true }
  try {
    const data = await call('GET', to, undefined, abort.signal)
    if (e.abort === abort) e.state.value = { data, error: undefined, busy: false, at: Date.now() }
  } catch (error) {
    if (e.abort !== abort) return
    // Who has left is told nothing, and whoever comes asks again.
    e.state.value = { ...e.state.value, error: abort.signal.aborted ? undefined : (error as ApiError), busy: false }
    later(to, e)
  }
}

/** How long after an error that may be over by itself it is asked again. */
const pause = 5000

function later(to: string, e: Entry): void {
  clearTimeout(e.retry)
  e.retry = window.setTimeout(() => {
    if (e.readers === 0 || !e.state.value.error?.passing) return
    if (document.hidden) later(to, e)
    else void refresh(to)
  }, pause)
}

/** Asks again for every address that begins so and is being shown; forgets the others. */
export function changed(prefix: string): void {
  for (const [to, e] of kept) {
    if (!to.startsWith(prefix)) continue
    if (e.readers > 0) void refresh(to)
    else kept.delete(to)
  }
}

/** Forgets everything that was answered. */
export function forget(): void {
  kept.clear()
}

/** Shows what is at an address; null asks nothing. */
export function useApi<T>(to: string | null): Loaded<T> & { again: () => void } {
  const e = useMemo(() => (to === null ? null : entry(to)), [to])
  useEffect(() => {
    if (!e || to === null) return
    // What went wrong for those before is no news.
    if (e.readers++ === 0 && e.state.value.error) e.state.value = { ...e.state.value, error: undefined }
    void refresh(to)
    return () => {
      if (--e.readers === 0) e.abort?.abort()
    }
  }, [e])
  const state = (e?.state.value ?? nothing) as Loaded<T>
  return { ...state, again: () => to !== null && void refresh(to) }
}

/**
 * Like useApi, but while the answer at another address is on its way, or cannot
 * be had at the moment, the one before stays.
 */
export function useLast<T>(to: string): Loaded<T> & { again: () => void } {
  const now = useApi<T>(to)
  const last = useRef<{ data: T | undefined; at: number }>({ data: undefined, at: 0 })
  if (now.data !== undefined) last.current = now
  return !now.error || now.error.passing ? { ...now, ...pick(last.current) } : now
}

const pick = <T,>({ data, at }: { data: T | undefined; at: number }) => ({ data, at })
