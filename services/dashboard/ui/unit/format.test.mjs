import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { formatNumbersIn, capitalizeSentence, escapeInvisible, formatBytes, formatCount, formatDuration, formatModel, formatRelative, formatTokens, pluralize, shortenId } from '../src/format'

const check = (format, cases) => {
  for (const [value, want] of cases) assert.equal(format(value), want, String(value))
}

test('durations change their unit where the rounded number would need it', () => check(formatDuration, [
  [0, '0 µs'], [1, '1 µs'], [999, '999 µs'], [1000, '1.00 ms'], [1005, '1.00 ms'], [1995, '2.00 ms'], [9_994, '9.99 ms'], [9_995, '10 ms'], [9_999, '10 ms'], [10_000, '10 ms'], [10_499, '10 ms'], [10_500, '11 ms'],
  [999_499, '999 ms'], [999_500, '1.00 s'], [999_999, '1.00 s'], [1_000_000, '1.00 s'], [2_314_999, '2.31 s'], [59_994_999, '59.99 s'], [59_995_000, '1 min 0 s'], [59_999_999, '1 min 0 s'],
  [60_000_000, '1 min 0 s'], [119_499_999, '1 min 59 s'], [119_500_000, '2 min 0 s'], [192_000_000, '3 min 12 s'],
]))

test('token counts change their unit where the rounded number would need it', () => check(formatTokens, [
  [0, '0'], [9_999, '9,999'], [10_000, '10.0k'], [12_449, '12.4k'], [12_450, '12.4k'], [12_451, '12.5k'], [999_949, '999.9k'], [999_950, '1.00M'], [999_999, '1.00M'], [1_000_000, '1.00M'], [1_999_999, '2.00M'],
]))

test('bytes change their unit where the rounded number would need it', () => check(formatBytes, [
  [0, '0 bytes'], [1, '1 bytes'], [999, '999 bytes'], [1000, '1.0 KB'], [12_449, '12.4 KB'], [99_949, '99.9 KB'], [99_950, '100 KB'], [412_400, '412 KB'], [999_499, '999 KB'], [999_500, '1.0 MB'], [999_999, '1.0 MB'], [1_000_000, '1.0 MB'],
  [999_500_000, '1.0 GB'], [1e12, '1.0 TB'], [999.6e12, '1000 TB'], [12e15, '12000 TB'],
]))

test('times relative to now', () => {
  const now = Date.parse('2026-11-16T12:00:00Z')
  const cases = [[0, '0 s ago'], [-400, '0 s ago'], [-600, '1 s ago'], [1000, 'in 1 s'], [-59_400, '59 s ago'], [-59_600, '1 min ago'], [-3_599_000, '59 min ago'], [-3_600_000, '1 h ago'], [-47.9 * 3_600_000, '47 h ago'], [-48 * 3_600_000, '2 d ago'], [41 * 86_400_000, 'in 41 d']]
  for (const [ms, want] of cases) assert.equal(formatRelative(now + ms, now), want)
})

test('counts and nouns', () => {
  assert.equal(formatCount(41_208), '41,208')
  check((n) => pluralize(n, 'request'), [[0, '0 requests'], [1, '1 request'], [1000, '1,000 requests']])
  assert.equal(pluralize(2, 'entry', 'entries'), '2 entries')
  check(formatNumbersIn, [['limit of 200000 tokens', 'limit of 200,000 tokens'], ['at about 0.000015 USD, of (0.25 USD)', 'at about $0.000015, of ($0.25)'], ['model-5 USD', 'model-5 USD'], ['model-20250514 (9999)', 'model-20250514 (9999)'], ['12345678901234567890 x', '12345678901234567890 x']])
})

test('texts that are not trusted cannot hide or reorder characters', () => {
  assert.equal(escapeInvisible('a\u202eb\u200bc\u0000d'), 'a[U+202E]b[U+200B]c[U+0000]d')
  assert.equal(escapeInvisible('line\nbreak\tand ünïcode'), 'line\nbreak\tand ünïcode')
})

test('ids and sentences', () => {
  assert.equal(shortenId('0198c0de-7d5a-7000-8000-000000003f0a'), '0198c0de-7d5a…3f0a')
  assert.equal(shortenId('x'.repeat(18)), 'x'.repeat(18))
  check(capitalizeSentence, [['the key expired', 'The key expired'], ['gpt-5 is unknown', 'gpt-5 is unknown'], ['max_tokens must be positive', 'max_tokens must be positive'], ['', '']])
})

test('a model is shown with its reasoning effort', () => {
  assert.equal(formatModel({ model: 'gpt-x', effort: 'low' }), 'gpt-x#low')
  assert.equal(formatModel({ model: 'gpt-x', effort: null }), 'gpt-x')
  assert.equal(formatModel({ model: 'gpt-x', effort: '' }), 'gpt-x')
  assert.equal(formatModel({ model: null, effort: null }), '')
})
