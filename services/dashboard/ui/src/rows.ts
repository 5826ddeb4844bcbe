// From a figure to the requests behind it.
import { usual } from './range'
import { address } from './router'
import { split, word } from './words'

/** The address of the requests that a filter finds in a range. */
export function rowsAt(filter: string, range: string): string {
  return address('/requests', { q: filter, range: range === usual ? null : range })
}

/** What the server reads of a filter at most, in bytes. */
const longest = 400

/**
 * The filter of those of its requests that have this value in a field; null is
 * those without any. Values of one field are alternatives, so the value takes
 * the place of others. Of a value that no filter can say, there is none.
 */
export function narrow(filter: string, field: string, value: string | null): string | null {
  if (value === null) return [...split(filter), `-${field}:*`].join(' ')
  const words = split(filter).filter((w) => !w.startsWith(field + ':'))
  const text = [...words, word(field, value)].join(' ')
  return /["\p{Cc}]/u.test(value) || new TextEncoder().encode(text).length > longest ? null : text
}
