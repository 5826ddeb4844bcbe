// The rows of the list: pages from the newest on, and what comes live on top.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ApiError, call, parse } from '../../api'
import { takeFirst } from '../../boot'
import { follow } from '../../live'
import { query, type Range } from '../../range'
import { address } from '../../router'
import type { Items, Request } from '../../types'

export interface List {
  rows: Request[]
  /** Live rows that are held back while somebody reads. */
  held: Request[]
  error: ApiError | undefined
  busy: boolean
  /** There is nothing older. */
  whole: boolean
}

export interface ListQuery {
  filter: string
  range: Range
}

const empty: List = { rows: [], held: [], error: undefined, busy: true, whole: false }
const perPage = 100

/** How many rows are kept in memory; whoever needs older ones narrows the search. */
const most = 20_000

/** Loads a query, follows it if it is open to now, and loads more on demand. */
export function useList(q: ListQuery, live: boolean, reading: () => boolean) {
  const first = useRef(useMemo(takeFirst, []))
  const list = useRef(useMemo(() => signal<List>(first.current ? { ...empty, ...pageOf(first.current) } : empty), [])).current
  const cursor = useRef(first.current?.next_cursor ?? '')
  // What is asked for: the beginning of "the last hour" moves with the clock,
  // which is no reason to ask anew.
  const key = JSON.stringify([q.filter, q.range.text])
  const turn = useRef('')

  /** Loads a page; one from the newest on replaces what is shown, unless it only fills up. */
  const load = async (from: string, fill = false) => {
    turn.current = key
    list.value = { ...list.value, busy: true, error: undefined }
    try {
      const page = await call<Items<Request>>('GET', address('/requests', { filter: q.filter, ...query(q.range), limit: String(perPage), cursor: from }))
      if (turn.current !== key) return
      if (fill) {
        list.value = { ...list.value, rows: join(list.value.rows, page.items), busy: false }
        return
      }
      cursor.current = page.next_cursor ?? ''
      list.value = { ...list.value, ...pageOf(page, from === '' ? [] : list.value.rows) }
    } catch (e) {
      if (turn.current === key) list.value = { ...list.value, busy: false, error: e as ApiError }
    }
  }

  useEffect(() => {
    if (first.current) {
      first.current = undefined
      turn.current = key
      return
    }
    // What was shown stays until there is something else to show.
    list.value = { ...list.value, held: [], busy: true, whole: false }
    void load('')
  }, [key])

  useEffect(() => {
    if (!live || q.range.to !== null) return
    return follow<Request>(address('/requests/stream', { filter: q.filter }), parse, {
      rows: (rows) => {
        const fresh = rows.reverse()
        const l = list.value
        list.value = reading() ? { ...l, held: join(fresh, l.held).slice(0, most) } : { ...l, rows: join(fresh, l.rows).slice(0, most) }
      },
      start: () => void load('', true),
      gap: () => void load(''),
    })
  }, [key, live])

  return {
    list,
    more: () => {
      const l = list.value
      if (!l.busy && !l.whole && !l.error && cursor.current) void load(cursor.current)
    },
    again: () => void load(''),
    release: () => {
      const l = list.value
      list.value = { ...l, rows: join(l.held, l.rows).slice(0, most), held: [] }
    },
  }
}

/** The list after a page that goes on from some rows. */
function pageOf(page: Items<Request>, before: Request[] = []): Pick<List, 'rows' | 'busy' | 'whole'> {
  const rows = before.length ? join(before, page.items) : page.items
  return { rows, busy: false, whole: !page.next_cursor || rows.length >= most }
}

/** Newest first, each once. */
function join(a: Request[], b: Request[]): Request[] {
  const seen = new Set(a.map((r) => r.id))
  const all = [...a, ...b.filter((r) => !seen.has(r.id))]
  return all.sort((x, y) => (x.time < y.time ? 1 : x.time > y.time ? -1 : x.id < y.id ? 1 : -1))
}
