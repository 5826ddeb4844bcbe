// A virtual list: all rows have the same height, and only the visible rows are in
// the DOM. A line marks where another day starts. The list is one Tab stop, and
// arrow keys move between rows. The caller holds the selection.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { utc } from '../format'
import { useShortcuts } from '../shortcuts'
import { findDayBreaks } from './daybreaks'

const overscan = 8

/** The minimum width of the columns with their gaps and padding, in pixels. */
const minimumWidth = (columns: string): number => (columns.match(/\d+(?=px)/g) ?? []).reduce((sum, w) => sum + Number(w) + 8, 16)

export interface VirtualListProps<T> {
  rows: T[]
  id: (row: T) => string
  /** The time of a row, if rows are sorted newest first. Then a line marks each day. */
  time?: (row: T) => string
  /** The column widths, as a value of grid-template-columns. */
  columns: string
  head: ComponentChildren
  cells: (row: T) => ComponentChildren
  label: string
  class?: string
  selectedId: string | null
  onSelect: (id: string) => void
  /** Called when the user is near the end: load more rows. */
  onEnd?: () => void
  /** Whether rows are loading. When this becomes false, onEnd may be called again. */
  busy?: boolean
  /** Called with the number of lines above the visible ones. */
  onScroll?: (top: number) => void
}

export function VirtualList<T>(p: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(32)
  // The first paint has about as many rows as will be visible, and no rows
  // outside the view, because drawing a row takes time. A phone has less space for them.
  const [view, setView] = useState(() => ({ top: 0, count: Math.ceil(innerHeight / (innerWidth < 720 ? 128 : 64)), spare: 0 }))
  const spare = useRef(0)
  const days = useMemo(() => (p.time ? findDayBreaks(p.rows, p.time) : []), [p.rows, utc.value, !p.time])
  /** The number of lines above a row, including the line of its own day. */
  const linesAbove = (row: number) => row + days.filter((d) => d.firstRow <= row).length
  const rowAt = (line: number) => line - days.filter((d, n) => d.firstRow + n < line).length
  const measure = () => {
    const el = box.current!
    const top = Math.floor(el.scrollTop / height)
    setView({ top, count: Math.ceil(el.clientHeight / height), spare: spare.current })
    p.onScroll?.(top)
  }
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => {
      // Rows are taller on a phone.
      setHeight(parseInt(getComputedStyle(box.current!).getPropertyValue('--row'), 10) || 32)
      measure()
    })
    seen.observe(box.current!)
    return () => seen.disconnect()
  }, [height])
  useEffect(() => {
    spare.current = overscan
    measure()
  }, [height])
  const first = Math.max(0, rowAt(view.top) - view.spare)
  const last = Math.min(p.rows.length, rowAt(view.top + view.count) + view.spare)
  useEffect(() => {
    if (!p.busy && last >= p.rows.length - overscan) p.onEnd?.()
  }, [last, p.rows.length, p.busy])

  const active = useActiveRow(p, box, height, (row) => {
    const el = box.current!
    const [at, head] = [linesAbove(row) * height, (el.firstElementChild as HTMLElement).offsetHeight]
    if (at < el.scrollTop) el.scrollTop = at
    else if (at + head + height > el.scrollTop + el.clientHeight) el.scrollTop = at + head + height - el.clientHeight
  })
  const page = (step: number) => box.current!.scrollBy(0, step * Math.max(1, view.count - 2) * height)
  useShortcuts([
    { key: '[', description: 'Scroll up a page', run: () => page(-1) },
    { key: ']', description: 'Scroll down a page', run: () => page(1) },
  ], [view.count, height])
  const move = (e: KeyboardEvent) => {
    const now = p.rows.findIndex((r) => p.id(r) === active)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: view.count, PageUp: -view.count, Enter: 0 }[e.key]
    if (step === undefined || p.rows.length === 0) return
    e.preventDefault()
    p.onSelect(p.id(p.rows[Math.max(0, Math.min(p.rows.length - 1, now < 0 ? 0 : now + step))]!))
  }
  const grid = (el: HTMLElement | null) => {
    if (!el) return
    el.style.gridTemplateColumns = p.columns
    el.style.minWidth = `${minimumWidth(p.columns)}px`
  }
  const at = (line: number) => (el: HTMLElement | null) => {
    if (el) el.style.transform = `translateY(${line * height}px)`
  }
  const shown = p.rows.slice(first, last)
  const isActiveRendered = shown.some((r) => p.id(r) === active)
  return (
    <div
      class={`vlist ${p.class ?? ''}`} ref={box} tabIndex={0} role="grid" aria-label={p.label} aria-rowcount={p.rows.length + days.length + 1}
      {...(isActiveRendered ? { 'aria-activedescendant': 'row-' + active } : {})} onScroll={measure} onKeyDown={move}
    >
      <div class="vhead vrow" role="row" aria-rowindex={1} ref={grid}>{p.head}</div>
      <div class="vbody" role="rowgroup" ref={(el) => { if (el) el.style.height = `${(p.rows.length + days.length) * height}px` }}>
        {days.map((d, n) => d.firstRow < first || d.firstRow > last ? null : (
          <div key={d.name} class="vday" role="row" aria-rowindex={d.firstRow + n + 2} ref={at(d.firstRow + n)}><span role="gridcell">{d.name}</span></div>
        ))}
        {shown.map((row, i) => (
          <div
            key={p.id(row)} id={'row-' + p.id(row)} class={p.id(row) === active ? 'vrow active' : 'vrow'} role="row"
            aria-rowindex={linesAbove(first + i) + 2} aria-selected={p.id(row) === p.selectedId} onClick={() => p.onSelect(p.id(row))}
            ref={(el) => { grid(el); at(linesAbove(first + i))(el) }}
          >
            {p.cells(row)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Returns the row that was selected last, and scrolls it into view, also when the height of the rows changes. If clearing the selection removes the focused element, the list gets the focus. */
function useActiveRow<T>(p: VirtualListProps<T>, box: { current: HTMLElement | null }, height: number, show: (row: number) => void): string | null {
  const last = useRef(p.selectedId)
  const before = useRef(p.selectedId)
  if (p.selectedId) last.current = p.selectedId
  useLayoutEffect(() => {
    const row = p.selectedId ? p.rows.findIndex((r) => p.id(r) === p.selectedId) : -1
    if (row >= 0) show(row)
  }, [p.selectedId, height])
  useEffect(() => {
    const closed = before.current && !p.selectedId
    before.current = p.selectedId
    if (closed && (document.activeElement === document.body || !document.activeElement)) box.current?.focus({ preventScroll: true })
  }, [p.selectedId])
  return last.current
}
