// The rows of the list: pages from the newest on, and what comes live on top.
// Between two rows that are shown none is ever lacking: what comes is held back
// until it joins what is there, and while somebody reads.
import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiError, call } from '../../api'
import { takeFirst } from '../../boot'
import { follow } from '../../live'
import { query, type Range } from '../../range'
import { address } from '../../router'
import type { Items, Request } from '../../types'
import { join } from './join'

export interface List {
  rows: Request[]
  /** Live rows that are held back. */
  held: Request[]
  /** Held rows do not join the others: whoever wants them begins anew. */
  apart: boolean
  error: ApiError | undefined
  busy: boolean
  /** There is nothing older. */
  whole: boolean
  /** How many have come live. */
  came: number
}

export interface ListQuery {
  filter: string
  range: Range
}

const empty: List = { rows: [], held: [], apart: false, error: undefined, busy: true, whole: false, came: 0 }
const perPage = 100
/** How long after an error that may be over by itself it is tried again. */
const pause = 5000
/** How many pages are read to join what is shown. */
const few = 3
/** How many rows are kept in memory; whoever needs older ones narrows the search. */
const most = 20_000

/** Loads a query, follows it if it is open to now, and loads more on demand. */
export function useList(q: ListQuery, live: boolean, reading: () => boolean) {
  const first = useRef(useMemo(takeFirst, []))
  const list = useRef(useMemo(() => signal<List>(first.current ? { ...empty, ...begun(first.current) } : empty), [])).current
  const cursor = useRef(first.current?.next_cursor ?? '')
  // What is asked for: the beginning of "the last hour" moves with the clock,
  // which is no reason to ask anew.
  const key = JSON.stringify([q.filter, q.range.text])
  // What has been answered once can be followed.
  const [answered, answer] = useState(first.current ? key : '')
  const turn = useRef(0)
  const filling = useRef(false)

  const page = (from: string) =>
    call<Items<Request>>('GET', address('/requests', { filter: q.filter, ...query(q.range), limit: String(perPage), cursor: from }))
  const put = (change: Partial<List>) => (list.value = { ...list.value, ...change })

  /** Runs what loads; what comes for somebody who asked for something else since is dropped. */
  const loading = async (work: (stale: () => boolean) => Promise<void>) => {
    const mine = turn.current
    try {
      await work(() => turn.current !== mine)
    } catch (e) {
      if (turn.current !== mine) return
      put({ busy: false, error: e as ApiError })
      if ((e as ApiError).passing) setTimeout(() => turn.current === mine && loading(work), pause)
    }
  }

  /** Begins with the newest. */
  const load = () => {
    turn.current++
    filling.current = true
    put({ held: [], apart: false, busy: true, error: undefined })
    return loading(async (stale) => {
      const p = await page('')
      if (stale()) return
      cursor.current = p.next_cursor ?? ''
      filling.current = false
      // What has come since may be on the page or not.
      put({ ...begun(p), rows: join(list.value.held, p.items), held: [] })
      answer(key)
    })
  }

  const more = () => {
    const l = list.value
    if (l.busy || l.whole || l.error || !cursor.current) return
    put({ busy: true })
    void loading(async (stale) => {
      const p = await page(cursor.current)
      if (stale()) return
      cursor.current = p.next_cursor ?? ''
      const rows = join(list.value.rows, p.items)
      put({ rows, busy: false, error: undefined, whole: !p.next_cursor || rows.length >= most })
    })
  }

  /** Reads what became visible while nobody followed, until it joins what is shown. */
  const fill = () => {
    if (list.value.rows.length === 0) return load()
    filling.current = true
    const shown = new Set(list.value.rows.map((r) => r.id))
    return loading(async (stale) => {
      const found: Request[] = []
      for (let n = 0, from = ''; n < few; n++) {
        const p = await page(from)
        if (stale()) return
        found.push(...p.items)
        from = p.next_cursor ?? ''
        if (!from || p.items.some((r) => shown.has(r.id))) {
          filling.current = false
          put({ error: undefined })
          return take(found.filter((r) => !shown.has(r.id)))
        }
      }
      filling.current = false
      put({ apart: true, error: undefined })
      take(found)
    })
  }

  /** Shows what has come, or holds it back. */
  const take = (fresh: Request[]) => {
    const held = join(fresh, list.value.held)
    put(held.length > most ? { held: held.slice(0, most), apart: true } : { held })
    if (!reading() && !filling.current) release()
  }

  const release = () => {
    const l = list.value
    if (l.held.length === 0) return
    if (l.apart || filling.current) return void load()
    const rows = join(l.held, l.rows)
    put({ rows: rows.slice(0, most), held: [], whole: l.whole || rows.length > most })
  }

  useEffect(() => {
    if (first.current) first.current = undefined
    // What was shown stays until there is something else to show.
    else void load()
  }, [key])
  useEffect(() => () => void turn.current++, [])

  useEffect(() => {
    if (!live || q.range.to !== null || answered !== key) return
    return follow(q.filter, {
      rows: (rows) => {
        put({ came: list.value.came + rows.length })
        take(rows.reverse())
      },
      start: () => void fill(),
      gap: () => void load(),
    })
  }, [key, live, answered])

  return { list, more, again: () => void load(), release }
}

/** The list that begins with a page. */
const begun = (p: Items<Request>) => ({ rows: p.items, busy: false, error: undefined, whole: !p.next_cursor })
