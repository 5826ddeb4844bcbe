// The rows of the request list: pages, newest first, with live requests on top.
// The shown rows never have a gap. Live requests stay pending (hidden) while
// requests between them and the shown rows are missing. They also stay pending
// while the user reads further down.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiError, callApi } from '../../api'
import { takeFirstPage } from '../../boot'
import { followRequests } from '../../live'
import { type Range, rangeQuery } from '../../range'
import { buildURL } from '../../router'
import type { Items, Request, RunningRequest } from '../../types'
import { appendRequests, mergeRequests } from './mergerequests'
import { graceMs, type RunningRow, updateRunning } from './running'
import { isNewestFirst, type Sort, sortParams } from './sort'

export interface RequestList {
  rows: Request[]
  /** Live requests that are not shown yet. */
  pending: Request[]
  /** Whether requests are missing between the pending and the shown rows. Then showing the pending rows loads the list again. */
  hasGap: boolean
  error: ApiError | undefined
  busy: boolean
  /** Whether there are no older rows, or the list has reached maxRows. */
  reachedEnd: boolean
  /** The number of live requests received. */
  liveCount: number
  /** Requests in progress. */
  running: RunningRow[]
}

export interface ListQuery {
  filter: string
  range: Range
  /** Only the order newest first is followed live. */
  sort: Sort
}

const empty: RequestList = { rows: [], pending: [], hasGap: false, error: undefined, busy: true, reachedEnd: false, liveCount: 0, running: [] }
const pageSize = 100
/** The delay before a load is repeated after a transient error. */
const retryDelayMs = 5000
/** The maximum number of pages that are loaded to close a gap. */
const maxGapPages = 3
/** The maximum number of rows in memory. To see older rows, the user narrows the filter or the range. */
const maxRows = 20_000

/** Loads a query, follows it if its range ends now, and loads older rows on demand. Live rows stay pending while reading() returns true. */
export function useRequestList(q: ListQuery, live: boolean, reading: () => boolean) {
  const first = useRef(useMemo(takeFirstPage, []))
  const list = useRef(useMemo(() => signal<RequestList>(first.current ? { ...empty, ...stateFromFirstPage(first.current) } : empty), [])).current
  const cursor = useRef(first.current?.next_cursor ?? '')
  // The start of "the last hour" moves with the clock, so the key uses the text
  // of the range.
  const key = JSON.stringify([q.filter, q.range.text, q.sort])
  // A query is followed only after its first response.
  const [loadedKey, setLoadedKey] = useState(first.current ? key : '')
  const queryNumber = useRef(0)
  // Whether a load is running that must end before live requests can be shown without a gap.
  const hasOpenGap = useRef(false)

  const fetchPage = (from: string) =>
    callApi<Items<Request>>('GET', buildURL('/requests', { filter: q.filter, ...rangeQuery(q.range), ...sortParams(q.sort), limit: String(pageSize), cursor: from }))
  const update = (change: Partial<RequestList>) => (list.value = { ...list.value, ...change })

  /** Runs a load and retries transient errors. It drops the result if another query has replaced this one in the meantime. */
  const runLoad = async (work: (stale: () => boolean) => Promise<void>) => {
    const mine = queryNumber.current
    try {
      await work(() => queryNumber.current !== mine)
    } catch (e) {
      if (queryNumber.current !== mine) return
      update({ busy: false, error: e as ApiError })
      if ((e as ApiError).isTransient) setTimeout(() => queryNumber.current === mine && runLoad(work), retryDelayMs)
    }
  }

  const load = () => {
    queryNumber.current++
    hasOpenGap.current = true
    update({ pending: [], hasGap: false, busy: true, error: undefined })
    return runLoad(async (stale) => {
      const p = await fetchPage('')
      if (stale()) return
      cursor.current = p.next_cursor ?? ''
      hasOpenGap.current = false
      // Live requests that arrived in the meantime may also be on the page. Merging
      // removes duplicates.
      update({ ...stateFromFirstPage(p), rows: mergeRequests(list.value.pending, p.items), pending: [] })
      setLoadedKey(key)
    })
  }

  const loadOlder = () => {
    const l = list.value
    if (l.busy || l.reachedEnd || l.error || !cursor.current) return
    update({ busy: true })
    void runLoad(async (stale) => {
      const p = await fetchPage(cursor.current)
      if (stale()) return
      cursor.current = p.next_cursor ?? ''
      const rows = (isNewestFirst(q.sort) ? mergeRequests : appendRequests)(list.value.rows, p.items)
      update({ rows, busy: false, error: undefined, reachedEnd: !p.next_cursor || rows.length >= maxRows })
    })
  }

  /** Loads the requests that were missed while the list was not followed, up to the newest shown row. If they exceed maxGapPages pages, it sets hasGap. */
  const closeGap = () => {
    if (list.value.rows.length === 0) return load()
    hasOpenGap.current = true
    const shown = new Set(list.value.rows.map((r) => r.id))
    return runLoad(async (stale) => {
      const found: Request[] = []
      for (let n = 0, from = ''; n < maxGapPages; n++) {
        const p = await fetchPage(from)
        if (stale()) return
        found.push(...p.items)
        from = p.next_cursor ?? ''
        if (!from || p.items.some((r) => shown.has(r.id))) {
          hasOpenGap.current = false
          update({ error: undefined })
          return receive(found.filter((r) => !shown.has(r.id)))
        }
      }
      hasOpenGap.current = false
      update({ hasGap: true, error: undefined })
      receive(found)
    })
  }

  /** Adds new requests to the pending ones. It shows them unless the user is reading or a gap is open. */
  const receive = (fresh: Request[]) => {
    const pending = mergeRequests(fresh, list.value.pending)
    update(pending.length > maxRows ? { pending: pending.slice(0, maxRows), hasGap: true } : { pending })
    if (!reading() && !hasOpenGap.current) showPending()
  }

  const showPending = () => {
    const l = list.value
    if (l.pending.length === 0) return
    if (l.hasGap || hasOpenGap.current) return void load()
    const rows = mergeRequests(l.pending, l.rows)
    update({ rows: rows.slice(0, maxRows), pending: [], reachedEnd: l.reachedEnd || rows.length > maxRows })
  }

  const graceTimer = useRef(0)
  /** Updates the requests in progress. The timer removes the last ones, because no report follows an empty one. */
  const receiveRunning = (reported: RunningRequest[]) => {
    const running = updateRunning(list.value.running, reported, performance.now(), reading())
    if (running.length > 0 || list.value.running.length > 0) update({ running })
    clearTimeout(graceTimer.current)
    if (running.length > 0) graceTimer.current = window.setTimeout(() => receiveRunning([]), graceMs)
  }

  useEffect(() => {
    if (first.current) first.current = undefined
    // The old rows stay until the new ones are loaded.
    else void load()
  }, [key])
  useEffect(() => () => void queryNumber.current++, [])

  useEffect(() => {
    if (!live || q.range.to !== null || loadedKey !== key || !isNewestFirst(q.sort)) return
    const stop = followRequests(q.filter, {
      rows: (rows) => {
        update({ liveCount: list.value.liveCount + rows.length })
        receive(rows.reverse())
      },
      start: () => void closeGap(),
      gap: () => void load(),
      running: receiveRunning,
    })
    return () => {
      stop()
      clearTimeout(graceTimer.current)
      update({ running: [] })
    }
  }, [key, live, loadedKey])

  return { list, loadOlder, reload: () => void load(), showPending }
}

/** The state of a list after its first page. */
const stateFromFirstPage = (p: Items<Request>): Partial<RequestList> => ({ rows: p.items, busy: false, error: undefined, reachedEnd: !p.next_cursor })
