// Times in the browser's time zone. The expected values are those of the time zones
// in which unit.mjs runs this file.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import './browser.mjs'
import { findDayBreaks } from '../src/components/daybreaks'
import { formatAxisTime, formatClock, formatDateTime, formatDay, setUTC, shortZoneName, startOfDay, zoneName } from '../src/format'

const zone = process.env.TZ
const inZone = (values) => values[zone] ?? assert.fail(`no expected value for the time zone ${zone}`)
const at = (now) => mock.timers.enable({ apis: ['Date'], now: Date.parse(now) })

test('times are shown in the local zone, or in UTC if the user chose it', () => {
  at('2026-11-16T12:00:00Z')
  const t = '2026-11-14T23:03:22.418Z'
  assert.equal(formatClock(t), inZone({ UTC: '23:03:22.418', 'America/New_York': '18:03:22.418', 'Pacific/Kiritimati': '13:03:22.418' }))
  assert.equal(formatDateTime(t), inZone({ UTC: 'Sat 14 Nov 23:03', 'America/New_York': 'Sat 14 Nov 18:03', 'Pacific/Kiritimati': 'Sun 15 Nov 13:03' }))
  setUTC(true)
  assert.equal(formatDateTime(t), 'Sat 14 Nov 23:03')
  assert.deepEqual([zoneName(), shortZoneName()], ['UTC', 'UTC'])
  setUTC(false)
  assert.equal(zoneName(), zone)
  mock.timers.reset()
})

test('midnight is 00:00 and not 24:00', () => {
  setUTC(true)
  assert.equal(formatClock('2026-11-14T00:00:00Z'), '00:00:00.000')
  setUTC(false)
})

test('the year is left out if it is the current year of the shown zone', () => {
  at('2026-12-31T22:00:00Z') // already 2027 in Kiritimati
  assert.equal(formatDay('2026-12-31T21:00:00Z'), inZone({ UTC: 'Thu 31 Dec', 'America/New_York': 'Thu 31 Dec', 'Pacific/Kiritimati': 'Fri 1 Jan' }))
  setUTC(true)
  assert.equal(formatDay('2026-12-31T21:00:00Z'), 'Thu 31 Dec')
  assert.equal(formatDay('2025-12-31T21:00:00Z'), 'Wed 31 Dec 2025')
  setUTC(false)
  mock.timers.reset()
})

test('a day starts at local midnight, also on days of 23 and 25 hours', () => {
  const starts = {
    UTC: ['2026-03-08T00:00:00', '2026-03-08T00:00:00', '2026-11-01T00:00:00', '2026-11-01T00:00:00'],
    // Clocks go forward on 8 March at 07:00 UTC, and back on 1 November at 06:00 UTC.
    'America/New_York': ['2026-03-08T05:00:00', '2026-03-08T05:00:00', '2026-11-01T04:00:00', '2026-11-01T04:00:00'],
    'Pacific/Kiritimati': ['2026-03-07T10:00:00', '2026-03-08T10:00:00', '2026-10-31T10:00:00', '2026-11-01T10:00:00'],
  }
  const times = ['2026-03-08T06:30:00.5Z', '2026-03-08T18:03:22.418Z', '2026-11-01T05:30:00Z', '2026-11-01T18:03:22.418Z']
  assert.deepEqual(times.map(startOfDay), inZone(starts))
})

test('rows get a break where another day starts, also beside days of 23 and 25 hours', () => {
  at('2026-11-16T12:00:00Z')
  const breaks = (rows) => findDayBreaks(rows, (r) => r).map((d) => `${d.firstRow} ${d.name}`)
  const spring = ['2026-03-08T18:00:00Z', '2026-03-08T05:30:00Z', '2026-03-08T04:30:00Z', '2026-03-08T03:30:00Z', '2026-03-07T12:00:00Z']
  assert.deepEqual(breaks(spring), inZone({ UTC: ['0 Sun 8 Mar', '4 Sat 7 Mar'], 'America/New_York': ['0 Sun 8 Mar', '2 Sat 7 Mar'], 'Pacific/Kiritimati': ['0 Mon 9 Mar', '1 Sun 8 Mar'] }))
  const autumn = ['2026-11-02T04:30:00Z', '2026-11-01T18:00:00Z', '2026-11-01T04:30:00Z', '2026-11-01T03:30:00Z']
  assert.deepEqual(breaks(autumn), inZone({ UTC: ['0 Mon 2 Nov', '1 Sun 1 Nov'], 'America/New_York': ['0 Sun 1 Nov', '3 Sat 31 Oct'], 'Pacific/Kiritimati': ['0 Mon 2 Nov', '2 Sun 1 Nov'] }))
  assert.deepEqual(breaks([]), [])
  assert.deepEqual(breaks(['2026-11-16T11:00:00Z']), [], 'today has no break')
  mock.timers.reset()
})

test('an axis shows the date where a day starts', () => {
  setUTC(true)
  const hour = Date.parse('2026-11-14T22:00:00Z') / 1000
  const ticks = [hour, hour + 3600, hour + 7200, hour + 10_800]
  assert.deepEqual(ticks.map((t, i) => formatAxisTime(t, ticks[i - 1])), ['22:00', '23:00', '15 Nov', '01:00'])
  assert.equal(formatAxisTime(hour + 7200, undefined), '15 Nov')
  assert.equal(formatAxisTime(hour + 7200 + 1800, hour), '15 Nov', 'the first tick of a day need not be midnight')
  setUTC(false)
})
