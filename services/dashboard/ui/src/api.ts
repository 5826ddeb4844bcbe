// Calls /api/v1. Responses are cached by URL. A page first shows the cached
// response, and replaces it when the new response arrives.
import { signal, type Signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { capitalizeSentence } from './format'

/** An amount in nano-USD (billionths of a dollar). It is a bigint beyond Number.MAX_SAFE_INTEGER. */
export type Nano = number | bigint

/** ApiError is an error response of the server, or a failure to reach it (status 0). */
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

  /** Whether a later call may succeed: the server was unreachable or had an internal error, or the account has too many calls running (429). */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** Parses JSON. Amounts that a number cannot hold exactly become bigints. */
export function parseJSON(text: string): any {
  return JSON.parse(text, function (key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && /(^|_)nano_usd$/.test(key) && context?.source) {
      return BigInt(context.source)
    }
    return value
  } as (key: string, value: unknown) => unknown)
}

/** Calls the API. If the session has expired, the browser goes to the sign-in page. */
export async function callApi<T>(method: string, path: string, body?: unknown, abort?: AbortSignal): Promise<T> {
  let res: Response, text: string
  try {
    res = await fetch('/api/v1' + path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: abort ?? null,
    })
    text = await res.text()
  } catch {
    throw new ApiError('Cannot reach the server. Check your connection.', 'OFFLINE', 0)
  }
  if (res.ok) return parseBody(res, text)
  if (res.status === 401) location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
  throw toApiError(res, text)
}

function parseBody<T>(res: Response, text: string): T {
  try {
    return (text ? parseJSON(text) : undefined) as T
  } catch {
    throw unexpectedResponse(res)
  }
}

function toApiError(res: Response, text: string): ApiError {
  try {
    const e = JSON.parse(text)
    return new ApiError(capitalizeSentence(String(e.error)), String(e.code), res.status, e.details ?? {}, res.headers.get('x-request-id'))
  } catch {
    return unexpectedResponse(res)
  }
}

const unexpectedResponse = (res: Response): ApiError =>
  new ApiError('The server sent an unexpected response. Reload the page.', 'UNEXPECTED_RESPONSE', res.status, {}, res.headers.get('x-request-id'))

/** The state of one API URL. */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | undefined
  /** Whether a call is running. Until it ends, data may hold an older response. */
  loading: boolean
  /** When data arrived, in milliseconds since 1970. */
  loadedAt: number
}

/** The state of a URL, and the function that loads it again. */
export interface Loadable<T> extends Loaded<T> {
  reload: () => void
}

interface CacheEntry {
  state: Signal<Loaded<unknown>>
  abort: AbortController | undefined
  subscribers: number
  retryTimer: number
}

const notLoaded: Loaded<unknown> = { data: undefined, error: undefined, loading: false, loadedAt: 0 }

const cache = new Map<string, CacheEntry>()
const maxCacheEntries = 50

function findOrCreateEntry(path: string): CacheEntry {
  let e = cache.get(path)
  if (!e) {
    for (const [name, old] of cache) {
      if (cache.size < maxCacheEntries) break
      if (old.subscribers === 0) cache.delete(name)
    }
    e = { state: signal(notLoaded), abort: undefined, subscribers: 0, retryTimer: 0 }
    cache.set(path, e)
  }
  return e
}

/** Loads a URL again and updates every component that shows it. */
export async function refresh(path: string): Promise<void> {
  const e = findOrCreateEntry(path)
  e.abort?.abort()
  const abort = (e.abort = new AbortController())
  e.state.value = { ...e.state.value, loading: true }
  try {
    const data = await callApi('GET', path, undefined, abort.signal)
    if (e.abort === abort) e.state.value = { data, error: undefined, loading: false, loadedAt: Date.now() }
  } catch (error) {
    if (e.abort !== abort) return
    // The call was aborted because no component uses the URL any more. This is not an error.
    e.state.value = { ...e.state.value, error: abort.signal.aborted ? undefined : (error as ApiError), loading: false }
    scheduleRetry(path, e)
  }
}

/** The delay before a call is repeated after a transient error. */
const retryDelayMs = 5000

function scheduleRetry(path: string, e: CacheEntry): void {
  clearTimeout(e.retryTimer)
  e.retryTimer = window.setTimeout(() => {
    if (e.subscribers === 0 || !e.state.value.error?.isTransient) return
    if (document.hidden) scheduleRetry(path, e)
    else void refresh(path)
  }, retryDelayMs)
}

/** Of the cached URLs with one of these prefixes, reloads those that a component shows, and drops the others. The promise ends when they are loaded; it never fails. */
export async function invalidate(...prefixes: string[]): Promise<void> {
  const reloads: Promise<void>[] = []
  for (const [path, e] of cache) {
    if (!prefixes.some((prefix) => path.startsWith(prefix))) continue
    if (e.subscribers > 0) reloads.push(refresh(path))
    else cache.delete(path)
  }
  await Promise.all(reloads)
}

/** Drops every cached response. */
export function clearCache(): void {
  cache.clear()
}

/** Loads a URL when the component mounts, and renders again when the state of the URL changes. If the URL is null, it loads nothing. */
export function useApi<T>(path: string | null): Loadable<T> {
  const e = useMemo(() => (path === null ? null : findOrCreateEntry(path)), [path])
  useEffect(() => {
    if (!e || path === null) return
    // An error from before this component mounted is not shown again.
    if (e.subscribers++ === 0 && e.state.value.error) e.state.value = { ...e.state.value, error: undefined }
    void refresh(path)
    return () => {
      if (--e.subscribers === 0) e.abort?.abort()
    }
  }, [e])
  const state = (e?.state.value ?? notLoaded) as Loaded<T>
  return { ...state, reload: () => path !== null && void refresh(path) }
}

/**
 * Like useApi, but keeps the previous data while a new URL loads, and while the
 * new URL fails with a transient error.
 */
export function useApiWithPrevious<T>(path: string): Loadable<T> {
  const now = useApi<T>(path)
  const last = useRef<{ data: T | undefined; loadedAt: number }>({ data: undefined, loadedAt: 0 })
  if (now.data !== undefined) last.current = now
  return !now.error || now.error.isTransient ? { ...now, ...pickData(last.current) } : now
}

const pickData = <T,>({ data, loadedAt }: { data: T | undefined; loadedAt: number }) => ({ data, loadedAt })
