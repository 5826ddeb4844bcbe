// A list of rows of one height, of which only those in sight are there. Rows
// are reached by arrow keys; the chosen one is the caller's.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const spare = 8

/** What the columns need at least, with gaps and edges. */
const widthOf = (columns: string): number => (columns.match(/\d+(?=px)/g) ?? []).reduce((sum, w) => sum + Number(w) + 10, 14)

export interface VirtualListProps<T> {
  rows: T[]
  id: (row: T) => string
  /** Widths of the columns, as CSS has them. */
  columns: string
  head: ComponentChildren
  cells: (row: T) => ComponentChildren
  label: string
  chosen: string | null
  onChoose: (id: string) => void
  /** The end is near: load more. */
  onEnd?: () => void
  /** How far down the reader is, in rows. */
  onScroll?: (top: number) => void
}

export function VirtualList<T>(p: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(32)
  // At first about as many as will be in sight, and none to spare: each row
  // takes time to draw.
  const [view, setView] = useState(() => ({ top: 0, count: Math.ceil(innerHeight / 64), spare: 0 }))
  const look = () => {
    const el = box.current!
    const top = Math.floor(el.scrollTop / height)
    setView({ top, count: Math.ceil(el.clientHeight / height), spare })
    p.onScroll?.(top)
  }
  useLayoutEffect(() => {
    setHeight(parseInt(getComputedStyle(box.current!).getPropertyValue('--row'), 10) || 32)
    const seen = new ResizeObserver(look)
    seen.observe(box.current!)
    return () => seen.disconnect()
  }, [height])
  const first = Math.max(0, view.top - view.spare)
  const last = Math.min(p.rows.length, view.top + view.count + view.spare)
  useEffect(() => {
    if (last >= p.rows.length - spare) p.onEnd?.()
  }, [last, p.rows.length])
  const active = p.rows.findIndex((r) => p.id(r) === p.chosen)
  const move = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: view.count, PageUp: -view.count }[e.key]
    if (!step || p.rows.length === 0) return
    e.preventDefault()
    choose(Math.max(0, Math.min(p.rows.length - 1, active < 0 ? 0 : active + step)))
  }
  const choose = (i: number) => {
    p.onChoose(p.id(p.rows[i]!))
    const el = box.current!
    const top = i * height
    if (top < el.scrollTop) el.scrollTop = top
    else if (top > el.scrollTop + el.clientHeight - 3 * height) el.scrollTop = top - el.clientHeight + 3 * height
  }
  const grid = (el: HTMLElement | null) => {
    if (!el) return
    el.style.gridTemplateColumns = p.columns
    el.style.minWidth = `${widthOf(p.columns)}px`
  }
  return (
    <div class="vlist" ref={box} tabIndex={0} role="grid" aria-label={p.label} aria-rowcount={p.rows.length + 1} onScroll={look} onKeyDown={move}>
      <div class="vhead vrow" role="row" aria-rowindex={1} ref={grid}>{p.head}</div>
      <div class="vbody" role="rowgroup" ref={(el) => { if (el) el.style.height = `${p.rows.length * height}px` }}>
        {p.rows.slice(first, last).map((row, i) => (
          <div
            key={p.id(row)} class="vrow" role="row" aria-rowindex={first + i + 2} aria-selected={p.id(row) === p.chosen}
            onClick={() => p.onChoose(p.id(row))}
            ref={(el) => { grid(el); if (el) el.style.transform = `translateY(${(first + i) * height}px)` }}
          >
            {p.cells(row)}
          </div>
        ))}
      </div>
    </div>
  )
}
