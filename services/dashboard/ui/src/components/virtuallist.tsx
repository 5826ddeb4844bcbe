// A list of rows of one height, of which only those in sight are there, with a
// line where another day begins. It is one stop of the Tab key: rows are
// reached by arrow keys; the chosen one is the caller's.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { utc } from '../format'
import { useKeys } from '../keys'
import { daysOf } from './days'

const spare = 8

/** What the columns need at least, with gaps and edges. */
const widthOf = (columns: string): number => (columns.match(/\d+(?=px)/g) ?? []).reduce((sum, w) => sum + Number(w) + 8, 16)

export interface VirtualListProps<T> {
  rows: T[]
  id: (row: T) => string
  /** When a row is of; the newest comes first. */
  time: (row: T) => string
  /** Widths of the columns, as CSS has them. */
  columns: string
  head: ComponentChildren
  cells: (row: T) => ComponentChildren
  label: string
  class?: string
  chosen: string | null
  onChoose: (id: string) => void
  /** The end is near: load more. */
  onEnd?: () => void
  /** More cannot be loaded at the moment; when it can, the end may still be near. */
  busy?: boolean
  /** How far down the reader is, in rows. */
  onScroll?: (top: number) => void
}

export function VirtualList<T>(p: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(32)
  // At first about as many as will be in sight, and none to spare: each row
  // takes time to draw.
  const [view, setView] = useState(() => ({ top: 0, count: Math.ceil(innerHeight / 64), spare: 0 }))
  const days = useMemo(() => daysOf(p.rows, p.time), [p.rows, utc.value])
  /** Lines above a row, its own day's included. */
  const above = (row: number) => row + days.filter((d) => d.at <= row).length
  const rowAt = (line: number) => line - days.filter((d, n) => d.at + n < line).length
  const look = () => {
    const el = box.current!
    const top = Math.floor(el.scrollTop / height)
    setView({ top, count: Math.ceil(el.clientHeight / height), spare })
    p.onScroll?.(top)
  }
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => {
      // On a phone rows are higher.
      setHeight(parseInt(getComputedStyle(box.current!).getPropertyValue('--row'), 10) || 32)
      look()
    })
    seen.observe(box.current!)
    return () => seen.disconnect()
  }, [height])
  const first = Math.max(0, rowAt(view.top) - view.spare)
  const last = Math.min(p.rows.length, rowAt(view.top + view.count) + view.spare)
  useEffect(() => {
    if (!p.busy && last >= p.rows.length - spare) p.onEnd?.()
  }, [last, p.rows.length, p.busy])

  const active = useActive(p, box, (row) => {
    const el = box.current!
    const [at, head] = [above(row) * height, (el.firstElementChild as HTMLElement).offsetHeight]
    if (at < el.scrollTop) el.scrollTop = at
    else if (at + head + height > el.scrollTop + el.clientHeight) el.scrollTop = at + head + height - el.clientHeight
  })
  const page = (step: number) => box.current!.scrollBy(0, step * Math.max(1, view.count - 2) * height)
  useKeys([
    { key: '[', does: 'a page up', run: () => page(-1) },
    { key: ']', does: 'a page down', run: () => page(1) },
  ], [view.count, height])
  const move = (e: KeyboardEvent) => {
    const now = p.rows.findIndex((r) => p.id(r) === active)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: view.count, PageUp: -view.count, Enter: 0 }[e.key]
    if (step === undefined || p.rows.length === 0) return
    e.preventDefault()
    p.onChoose(p.id(p.rows[Math.max(0, Math.min(p.rows.length - 1, now < 0 ? 0 : now + step))]!))
  }
  const grid = (el: HTMLElement | null) => {
    if (!el) return
    el.style.gridTemplateColumns = p.columns
    el.style.minWidth = `${widthOf(p.columns)}px`
  }
  const at = (line: number) => (el: HTMLElement | null) => {
    if (el) el.style.transform = `translateY(${line * height}px)`
  }
  const shown = p.rows.slice(first, last)
  const there = shown.some((r) => p.id(r) === active)
  return (
    <div
      class={`vlist ${p.class ?? ''}`} ref={box} tabIndex={0} role="grid" aria-label={p.label} aria-rowcount={p.rows.length + days.length + 1}
      {...(there ? { 'aria-activedescendant': 'row-' + active } : {})} onScroll={look} onKeyDown={move}
    >
      <div class="vhead vrow" role="row" aria-rowindex={1} ref={grid}>{p.head}</div>
      <div class="vbody" role="rowgroup" ref={(el) => { if (el) el.style.height = `${(p.rows.length + days.length) * height}px` }}>
        {days.map((d, n) => d.at < first || d.at > last ? null : (
          <div key={d.name} class="vday" role="row" aria-rowindex={d.at + n + 2} ref={at(d.at + n)}><span role="gridcell">{d.name}</span></div>
        ))}
        {shown.map((row, i) => (
          <div
            key={p.id(row)} id={'row-' + p.id(row)} class={p.id(row) === active ? 'vrow active' : 'vrow'} role="row"
            aria-rowindex={above(first + i) + 2} aria-selected={p.id(row) === p.chosen} onClick={() => p.onChoose(p.id(row))}
            ref={(el) => { grid(el); at(above(first + i))(el) }}
          >
            {p.cells(row)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** The row that was chosen last. It is brought into sight; when it is no longer chosen, whoever lost the focus by that is back at it. */
function useActive<T>(p: VirtualListProps<T>, box: { current: HTMLElement | null }, show: (row: number) => void): string | null {
  const last = useRef(p.chosen)
  const before = useRef(p.chosen)
  if (p.chosen) last.current = p.chosen
  useLayoutEffect(() => {
    const row = p.chosen ? p.rows.findIndex((r) => p.id(r) === p.chosen) : -1
    if (row >= 0) show(row)
  }, [p.chosen])
  useEffect(() => {
    const closed = before.current && !p.chosen
    before.current = p.chosen
    if (closed && (document.activeElement === document.body || !document.activeElement)) box.current?.focus({ preventScroll: true })
  }, [p.chosen])
  return last.current
}
