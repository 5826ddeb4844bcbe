// The span of time that all pages share, kept in the address as range=24h or as
// range=2026-11-01T00:00Z..2026-11-02T00:00Z.
import { effect } from '@preact/signals'
import { params, setParams } from './router'
import { say } from './say'

export interface Range {
  from: string
  /** null is now. */
  to: string | null
  /** As it stands in the address. */
  text: string
}

export const presets = ['15m', '1h', '6h', '24h', '7d', '30d'] as const
export const usual = '24h'

const units: Record<string, number> = { m: 60, h: 3600, d: 86400 }

export const words: Record<string, string> = {
  '15m': 'Last 15 minutes', '1h': 'Last hour', '6h': 'Last 6 hours', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days',
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** A browser makes a date of nearly anything that has a digit in it. */
const instant = (text: string): number => (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN)

/** Seconds of 15m, 2h, 7d; null if it is none of these. */
export function seconds(text: string): number | null {
  const m = /^([1-9]\d{0,3})([mhd])$/.exec(text)
  return m ? Number(m[1]) * units[m[2]!]! : null
}

/** Reads what stands in the address; what cannot be read is the usual one. */
export function parseRange(text: string, now = Date.now()): Range {
  const s = seconds(text)
  if (s !== null) return { from: iso(now - s * 1000), to: null, text }
  const [from, to, more] = text.split('..')
  const start = instant(from!), end = to ? instant(to) : Infinity
  if (more === undefined && start >= 0 && start < end) return { from: iso(start), to: to ? iso(end) : null, text }
  return parseRange(usual, now)
}

/** The present range; relative ones end at the full minute, so that what is kept can be shown again. */
export function range(fallback: string = usual): Range {
  const minute = 60_000
  return parseRange(params.value.get('range') ?? fallback, Math.ceil(Date.now() / minute) * minute)
}

export function setRange(text: string, fallback: string = usual): void {
  setParams({ range: text === fallback ? null : text })
}

/** Parameters of the API. */
export const query = (r: Range): Record<string, string | null> => ({ from: r.from, to: r.to })

// One that cannot be read is said, and does not stay in the address as if it were shown.
effect(() => {
  const text = params.value.get('range')
  if (text === null || parseRange(text).text === text) return
  queueMicrotask(() => {
    say(`“${text.slice(0, 60)}” is no range of time: this is the usual one.`)
    setParams({ range: null }, 'replace')
  })
})
