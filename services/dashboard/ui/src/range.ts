// The time range that all pages share. The URL holds it as range=24h or as
// range=2026-11-01T00:00Z..2026-11-02T00:00Z.
import { effect } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { params, setParams } from './router'
import { showToast } from './toast'

export interface Range {
  from: string
  /** null means now. */
  to: string | null
  /** The text in the URL. */
  text: string
}

export const rangePresets = ['15m', '1h', '6h', '24h', '7d', '30d'] as const
export const defaultRange = '24h'

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86400 }

export const rangeNames: Record<string, string> = {
  '15m': 'Last 15 minutes', '1h': 'Last hour', '6h': 'Last 6 hours', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days',
}

const toISO = (ms: number): string => new Date(ms).toISOString()

/** Parses a time. It checks the form first, because Date.parse accepts nearly any text with a digit. */
const parseInstant = (text: string): number => (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN)

/** Returns the length of a range such as 15m, 2h or 7d in seconds; null for any other text. */
export function parseSeconds(text: string): number | null {
  const m = /^([1-9]\d{0,3})([mhd])$/.exec(text)
  return m ? Number(m[1]) * unitSeconds[m[2]!]! : null
}

/** Parses the text of a range. Returns the default range if the text is invalid. */
export function parseRange(text: string, now = Date.now()): Range {
  const s = parseSeconds(text)
  if (s !== null) return { from: toISO(now - s * 1000), to: null, text }
  const [from, to, more] = text.split('..')
  const start = parseInstant(from!), end = to ? parseInstant(to) : Infinity
  if (more === undefined && start >= 0 && start < end) return { from: toISO(start), to: to ? toISO(end) : null, text }
  return parseRange(defaultRange, now)
}

/** Returns the range in use. The start of a relative range is rounded up to the minute. Thus the API's URLs stay the same for a minute, and cached responses can be shown. */
export function currentRange(fallback: string = defaultRange): Range {
  const minute = 60_000
  return parseRange(params.value.get('range') ?? fallback, Math.ceil(Date.now() / minute) * minute)
}

/** The same as currentRange, but it stays the same until the URL has another range. A list that loads more pages needs that: they belong to one range. A page with dialogs needs it, too: another URL would replace the page, and close the dialog, each minute. */
export function useFixedRange(fallback: string = defaultRange): Range {
  return useMemo(() => currentRange(fallback), [params.value.get('range'), fallback])
}

export function setRange(text: string, fallback: string = defaultRange): void {
  setParams({ range: text === fallback ? null : text })
}

/** The range as parameters of the API. */
export const rangeQuery = (r: Range): Record<string, string | null> => ({ from: r.from, to: r.to })

// Reports an invalid range and removes it from the URL, because the page shows the default range.
effect(() => {
  const text = params.value.get('range')
  if (text === null || parseRange(text).text === text) return
  queueMicrotask(() => {
    showToast(`“${text.slice(0, 60)}” is not a valid time range. Showing the default range.`)
    setParams({ range: null }, 'replace')
  })
})
