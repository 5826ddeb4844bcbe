// Numbers, spans and times as people read them; money is in money.ts.
import { signal } from '@preact/signals'

const counts = new Intl.NumberFormat('en-US')

/** 41,208 */
export const count = (n: number): string => counts.format(n)

/** A span: 840 µs, 412 ms, 2.31 s, 3 m 12 s. */
export function span(us: number): string {
  if (us < 1000) return `${us} µs`
  if (us < 10_000) return `${(us / 1000).toFixed(2)} ms`
  if (us < 1_000_000) return `${Math.round(us / 1000)} ms`
  if (us < 60_000_000) return `${(us / 1_000_000).toFixed(2)} s`
  const s = Math.round(us / 1_000_000)
  return `${Math.floor(s / 60)} m ${s % 60} s`
}

/** Tokens: exact below ten thousand, then 12.4k. */
export function tokens(n: number): string {
  if (n < 10_000) return count(n)
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)}k`
  return `${(n / 1_000_000).toFixed(2)}M`
}

const sizes = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A size: 412 bytes, 12.4 MB. */
export function bytes(n: number): string {
  const i = n < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(n) / 3))
  const size = n / 1000 ** i
  return `${i === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${sizes[i]}`
}

const zoneKey = 'signalbox.utc'

/** Whether times are shown in UTC, and not in the reader's own zone. */
export const utc = signal(localStorage.getItem(zoneKey) === '1')

export function showUTC(on: boolean): void {
  utc.value = on
  if (on) localStorage.setItem(zoneKey, '1')
  else localStorage.removeItem(zoneKey)
}

const own = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The name of the zone that times are shown in. */
export function zoneName(): string {
  return utc.value ? 'UTC' : own
}

/** Formatters by zone: to make one takes longer than to draw a row. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string): Intl.DateTimeFormat {
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

function parts(t: string | number): Record<string, string> {
  return Object.fromEntries(formatter(zoneName()).formatToParts(new Date(t)).map((p) => [p.type, p.value]))
}

/** 14:03:22.418 */
export function clock(t: string | number): string {
  const p = parts(t)
  return `${p.hour}:${p.minute}:${p.second}.${p.fractionalSecond}`
}

/** Sat 14 Nov, with the year if it is another one. */
export function day(t: string | number): string {
  const p = parts(t)
  const year = Number(p.year) === new Date().getFullYear() ? '' : ` ${p.year}`
  return `${p.weekday} ${p.day} ${p.month}${year}`
}

/** Sat 14 Nov 14:03 */
export function moment(t: string | number): string {
  const p = parts(t)
  return `${day(t)} ${p.hour}:${p.minute}`
}

let short: string | undefined

/** The zone that times are shown in, in a few letters: UTC, GMT+1. */
export function zoneShort(): string {
  if (utc.value || own === 'UTC') return 'UTC'
  return (short ??= new Intl.DateTimeFormat('en-GB', { timeZone: own, timeZoneName: 'short' }).formatToParts().find((p) => p.type === 'timeZoneName')?.value ?? own)
}

/** When the day of a time began, as the beginning of an ISO text. */
export function midnight(t: string): string {
  const p = parts(t)
  const into = (Number(p.hour) * 3600 + Number(p.minute) * 60 + Number(p.second)) * 1000
  return new Date(Math.floor(Date.parse(t) / 1000) * 1000 - into).toISOString().slice(0, 19)
}

/** A mark on an axis: the time, or the day where one begins; seconds since 1970. */
export function tick(at: number, before: number | undefined): string {
  const p = parts(at * 1000)
  const started = before === undefined ? p.hour === '00' && p.minute === '00' : parts(before * 1000).day !== p.day
  return started && p.hour === '00' ? `${p.day} ${p.month}` : `${p.hour}:${p.minute}`
}

/** 12 s ago, in 41 d */
export function relative(t: string | number, now = Date.now()): string {
  const s = Math.round((new Date(t).getTime() - now) / 1000)
  const size = Math.abs(s)
  const text = size < 60 ? `${size} s` : size < 3600 ? `${Math.floor(size / 60)} min` : size < 2 * 86400 ? `${Math.floor(size / 3600)} h` : `${Math.floor(size / 86400)} d`
  return s > 0 ? `in ${text}` : `${text} ago`
}

/** 0198c0de7d5a…3f0a */
export function shortId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 13)}…${id.slice(-4)}`
}

// Marks that reorder or hide what stands around them, and other characters
// without a look of their own; line breaks and tabs are none.
const marks = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** A text of somebody else's as it is: what could not be seen, or would reorder it, is written out. */
export function visible(text: string): string {
  return text.replace(marks, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/** A sentence whose large numbers have separators; digits that are of a name have none. */
export function separated(text: string): string {
  return text.replace(/(?<=^|[\s(])\d{5,}(?=[\s.,;)]|$)/g, (n) => (Number.isSafeInteger(Number(n)) ? count(Number(n)) : n))
}

/** One thing, two things. */
export const plural = (n: number, one: string, many = one + 's'): string => `${count(n)} ${n === 1 ? one : many}`
