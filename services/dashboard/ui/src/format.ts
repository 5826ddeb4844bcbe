// Formats counts, durations and times. money.ts formats amounts.
import { signal } from '@preact/signals'

const countFormat = new Intl.NumberFormat('en-US')

/** Formats a count: 41,208. */
export const formatCount = (n: number): string => countFormat.format(n)

/** Formats a duration in microseconds: 840 µs, 412 ms, 2.31 s, 3 min 12 s. A unit ends where rounding would reach the next one, so that 999.6 ms is 1.00 s and not 1000 ms. */
export function formatDuration(us: number): string {
  if (us < 1000) return `${us} µs`
  if (us < 9_995) return `${(us / 1000).toFixed(2)} ms`
  if (us < 999_500) return `${Math.round(us / 1000)} ms`
  if (us < 59_995_000) return `${(us / 1_000_000).toFixed(2)} s`
  const s = Math.round(us / 1_000_000)
  return `${Math.floor(s / 60)} min ${s % 60} s`
}

/** Formats a token count: exact below ten thousand, then rounded, such as 12.4k. */
export function formatTokens(n: number): string {
  if (n < 10_000) return formatCount(n)
  if (n < 999_950) return `${(n / 1000).toFixed(1)}k`
  return `${(n / 1_000_000).toFixed(2)}M`
}

/** Formats a quality in thousandths, as the router predicts it: 0.86. */
export const formatQuality = (thousandths: number): string => (thousandths / 1000).toFixed(2)

const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Formats a number of bytes: 412 bytes, 12.4 MB. */
export function formatBytes(n: number): string {
  let i = 0
  let size = n
  for (; Math.round(size) >= 1000 && i < byteUnits.length - 1; i++) size /= 1000
  return `${i === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${byteUnits[i]}`
}

const utcStorageKey = 'signalbox.utc'

/** Whether times are shown in UTC instead of the browser's time zone. */
export const utc = signal(localStorage.getItem(utcStorageKey) === '1')

export function setUTC(on: boolean): void {
  utc.value = on
  if (on) localStorage.setItem(utcStorageKey, '1')
  else localStorage.removeItem(utcStorageKey)
}

const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The name of the time zone in use. */
export function zoneName(): string {
  return utc.value ? 'UTC' : localZone
}

/** Formatters by time zone. Creating one takes longer than drawing a row. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function zoneFormatter(zone: string): Intl.DateTimeFormat {
  let f = formatters.get(zone)
  if (!f) {
    f = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone, weekday: 'short', year: 'numeric', month: 'short', day: 'numeric',
      hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23',
    } as Intl.DateTimeFormatOptions)
    formatters.set(zone, f)
  }
  return f
}

function dateParts(t: string | number): Record<string, string> {
  return Object.fromEntries(zoneFormatter(zoneName()).formatToParts(new Date(t)).map((p) => [p.type, p.value]))
}

/** Formats a time of day: 14:03:22.418. */
export function formatClock(t: string | number): string {
  const p = dateParts(t)
  return `${p.hour}:${p.minute}:${p.second}.${p.fractionalSecond}`
}

/** Formats a day: Sat 14 Nov. It adds the year if that is not the current year. */
export function formatDay(t: string | number): string {
  const p = dateParts(t)
  const year = p.year === dateParts(Date.now()).year ? '' : ` ${p.year}`
  return `${p.weekday} ${p.day} ${p.month}${year}`
}

/** Formats a day and a time: Sat 14 Nov 14:03. */
export function formatDateTime(t: string | number): string {
  const p = dateParts(t)
  return `${formatDay(t)} ${p.hour}:${p.minute}`
}

let localZoneShort: string | undefined

/** Returns a short name of the time zone in use: UTC, GMT+1. */
export function shortZoneName(): string {
  if (utc.value || localZone === 'UTC') return 'UTC'
  return (localZoneShort ??= new Intl.DateTimeFormat('en-GB', { timeZone: localZone, timeZoneName: 'short' }).formatToParts().find((p) => p.type === 'timeZoneName')?.value ?? localZone)
}

/** Returns the start of the day of t as an ISO time in UTC, such as 2026-11-13T23:00:00. It sorts like the API's times. */
export function startOfDay(t: string): string {
  const p = dateParts(t)
  const guess = Math.floor(Date.parse(t) / 1000) * 1000 - sinceMidnightMs(p)
  // If the clocks changed during the day, the guess is off by the change.
  const g = dateParts(guess)
  const start = g.day === p.day ? guess - sinceMidnightMs(g) : guess + 86_400_000 - sinceMidnightMs(g)
  return new Date(start).toISOString().slice(0, 19)
}

/** The time of day on the clock. */
const sinceMidnightMs = (p: Record<string, string>): number => (Number(p.hour) * 3600 + Number(p.minute) * 60 + Number(p.second)) * 1000

/** The tooltip of gateway times. */
export const gatewayTimeMeaning = 'The time that was not spent waiting for a provider'

/** Formats a label on a time axis: the time, or the date where a day starts. previousTick is the tick to the left. Both ticks are seconds since 1970. */
export function formatAxisTime(tick: number, previousTick: number | undefined): string {
  const p = dateParts(tick * 1000)
  const started = previousTick === undefined ? p.hour === '00' && p.minute === '00' : dateParts(previousTick * 1000).day !== p.day
  return started && p.hour === '00' ? `${p.day} ${p.month}` : `${p.hour}:${p.minute}`
}

/** Formats a time relative to now: 12 s ago, in 41 d. */
export function formatRelative(t: string | number, now = Date.now()): string {
  const s = Math.round((new Date(t).getTime() - now) / 1000)
  const size = Math.abs(s)
  const text = size < 60 ? `${size} s` : size < 3600 ? `${Math.floor(size / 60)} min` : size < 2 * 86400 ? `${Math.floor(size / 3600)} h` : `${Math.floor(size / 86400)} d`
  return s > 0 ? `in ${text}` : `${text} ago`
}

/** Shortens a long id to its start and its end: 0198c0de-7d5a…3f0a. */
export function shortenId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 13)}…${id.slice(-4)}`
}

// Characters without a glyph, and marks that reorder or hide the text around
// them. Line breaks and tabs are not included.
const invisibleCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Replaces invisible and reordering characters with their codes, such as [U+202E]. Otherwise untrusted text could pass for another text. */
export function escapeInvisible(text: string): string {
  return text.replace(invisibleCharacters, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/** Returns the model with its reasoning effort, as in gpt-x#low. */
export const formatModel = (c: { model: string | null; effort?: string | null }): string => (c.effort ? `${c.model}#${c.effort}` : (c.model ?? ''))

/** Adds thousands separators to numbers with at least five digits in a sentence of the server, and writes amounts as all pages do: $0.1 instead of 0.1 USD. Digits that belong to a name stay as they are. */
export function formatNumbersIn(text: string): string {
  return text.replace(/(?<=^|[\s(])(\d+(?:\.\d+)?) USD\b/g, '$$$1').replace(/(?<=^|[\s(])\d{5,}(?=[\s.,;)]|$)/g, (n) => (Number.isSafeInteger(Number(n)) ? formatCount(Number(n)) : n))
}

/** Capitalizes an error message of the API. A message stays as it is if its first word has other characters than letters, as names of models and most fields do. */
export const capitalizeSentence = (text: string): string => (/^[a-z]+[ ,.:;]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text)

/** Formats a count with its noun: 1 request, 2 requests. */
export const pluralize = (n: number, one: string, many = one + 's'): string => `${formatCount(n)} ${n === 1 ? one : many}`
