// A list that is loaded page by page.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, callApi, type Loadable, useApiWithPrevious } from '../../api'
import { withQuery } from './links'

interface More<T> {
  /** The URL that the items belong to. */
  of: string
  items: T[]
  next: string | null
  busy: boolean
  error: ApiError | undefined
}

export interface PagedList<T, R> {
  first: Loadable<R>
  items: T[]
  /** Loads the next page; null if there are no more items. */
  loadMore: (() => void) | null
  busy: boolean
  error: ApiError | undefined
}

/** Loads the first page of a URL, and more pages on demand. pick returns the page of a response. */
export function usePagedList<T, R>(path: string, pick: (response: R) => { items: T[]; next_cursor: string | null }): PagedList<T, R> {
  const first = useApiWithPrevious<R>(path)
  const page = first.data === undefined ? undefined : pick(first.data)
  const [more, setMore] = useState<More<T> | null>(null)
  const current = useRef(path)
  current.current = path
  useEffect(() => setMore(null), [path, page?.next_cursor])
  const extra = more?.of === path ? more : null
  const next = extra ? extra.next : (page?.next_cursor ?? null)
  const load = async () => {
    const before = extra?.items ?? []
    const set = (m: Omit<More<T>, 'of'>) => current.current === path && setMore({ of: path, ...m })
    set({ items: before, next, busy: true, error: undefined })
    try {
      const got = pick(await callApi<R>('GET', withQuery(path, { cursor: next! })))
      set({ items: [...before, ...got.items], next: got.next_cursor, busy: false, error: undefined })
    } catch (error) {
      set({ items: before, next, busy: false, error: error as ApiError })
    }
  }
  return { first, items: [...(page?.items ?? []), ...(extra?.items ?? [])], loadMore: next ? () => void load() : null, busy: extra?.busy ?? false, error: extra?.error }
}
