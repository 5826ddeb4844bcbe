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
}

/** Reads JSON without losing digits of money. */
export function parse(text: string): any {
  return JSON.parse(text, function (key: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && key.endsWith('_nano_usd') && context?.source) {
      return BigInt(context.source)
    }
    return value
  } as (key: string, value: unknown) => unknown)
}

/** Makes a call. A session that has ended leads to the sign-in page. */
export async function call<T>(method: string, to: string, body?: unknown, abort?: AbortSignal): Promise<T> {
  let res: Response
  try {
    res = await fetch('/api/v1' + to, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: abort ?? null,
    })
  } catch (e) {
    if (abort?.aborted) throw e
    throw new ApiError('The server cannot be reached.', 'OFFLINE', 0)
  }
  const text = await res.text()
  if (res.ok) return (text ? parse(text) : undefined) as T
  if (res.status === 401) location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
  throw failure(res, text)
}

function failure(res: Response, text: string): ApiError {
  const id = res.headers.get('x-request-id')
  try {
    const e = JSON.parse(text)
    return new ApiError(String(e.error), String(e.code), res.status, e.details ?? {}, id)
  } catch {
    return new ApiError('The server answered something else than expected.', 'BAD_ANSWER', res.status, {}, id)
  }
}

/** What is known of an address at the moment. */
export interface Loaded<T> {
  data: T | undefined
  error: ApiError | undefined
  /** A fresh answer is on its way; data may be an older one. */
  busy: boolean
}

interface Entry {
  state: Signal<Loaded<unknown>>
  abort: AbortController | undefined
  readers: number
}

const kept = new Map<string, Entry>()
const mostKept = 50

function entry(to: string): Entry {
  let e = kept.get(to)
  if (!e) {
    for (const [name, old] of kept) {
      if (kept.size < mostKept) break
      if (old.readers === 0) kept.delete(name)
    }
    e = { state: signal({ data: undefined, error: undefined, busy: false }), abort: undefined, readers: 0 }
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
    if (e.abort === abort) e.state.value = { data, error: undefined, busy: false }
  } catch (error) {
    if (e.abort === abort) e.state.value = { ...e.state.value, error: error as ApiError, busy: false }
  }
}

/** Asks again for every address that begins so and is being shown; forgets the others. */
export function changed(prefix: string): void {
  for (const [to, e] of kept) {
    if (!to.startsWith(prefix)) continue
    if (e.readers > 0) void refresh(to)
    else kept.delete(to)
  }
}

/** Shows what is at an address; null asks nothing. */
export function useApi<T>(to: string | null): Loaded<T> & { again: () => void } {
  const e = useMemo(() => (to === null ? null : entry(to)), [to])
  useEffect(() => {
    if (!e || to === null) return
    e.readers++
    void refresh(to)
    return () => {
      if (--e.readers === 0) e.abort?.abort()
    }
  }, [e])
  const state = (e?.state.value ?? { data: undefined, error: undefined, busy: false }) as Loaded<T>
  return { ...state, again: () => to !== null && void refresh(to) }
}

/** Like useApi, but while the answer at another address is on its way, the one before stays. */
export function useLast<T>(to: string): Loaded<T> & { again: () => void } {
  const now = useApi<T>(to)
  const last = useRef<T | undefined>(undefined)
  if (now.data !== undefined) last.current = now.data
  return { ...now, data: now.data ?? (now.error ? undefined : last.current) }
}
