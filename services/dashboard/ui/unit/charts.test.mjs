import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import './browser.mjs'
import { mount } from './mount.mjs'
import { plotData, plotOptions } from '../src/components/plot'
import { columns, sortGroups } from '../src/pages/impact/breakdown'
import { accumulateCosts } from '../src/pages/impact/cumulative'
import { fillBuckets, Histogram } from '../src/pages/requests/histogram'

globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => ` ${name}` })
const library = { paths: { bars: () => 'bars', stepped: () => 'stepped' } }
const series = (...values) => values.map((v, i) => ({ name: `s${i}`, color: `--c${i}`, values: v }))
const chart = (more) => ({ label: '', summary: '', times: ['2026-11-14T00:00:00Z', '2026-11-14T01:00:00Z'], kind: 'bars', formatValue: String, onHover() {}, ...more })
const options = (more) => plotOptions(chart(more), { clientWidth: 500 }, library)

test('stacked bars are sums, with the largest drawn first', () => {
  const data = plotData(chart({ series: series([1, 2], [10, null], [100, 200]) }))
  assert.deepEqual(data, [[1_794_614_400, 1_794_618_000], [111, 202], [11, 2], [1, 2]])
  assert.deepEqual(options({ series: series([1], [2]) }).series.slice(1).map((s) => [s.label, s.stroke]), [['s1', '--c1'], ['s0', '--c0']], 'names and colors follow the order of the data')
})

test('lines keep their values and their gaps', () => {
  assert.deepEqual(plotData(chart({ kind: 'steps', series: series([1, null], [3, 4]) })).slice(1), [[1, null], [3, 4]])
})

test('the y axis includes zero and leaves space above the highest value', () => {
  const range = options({ series: [] }).scales.y.range
  assert.deepEqual(range(null, 5, 100), [0, 108])
  assert.deepEqual(range(null, -3, 100), [-3, 108])
  assert.deepEqual(range(null, 0, 0), [0, 1], 'a chart without values still has a scale')
  assert.deepEqual(range(null, -5, -1), [-5, 1])
})

test('an axis of counts has whole steps, and a given time span is used', () => {
  assert.equal(options({ series: [], integers: true }).axes[1].incrs.every(Number.isInteger), true)
  assert.equal(options({ series: [], integers: true }).axes[1].incrs[0], 1)
  assert.equal('incrs' in options({ series: [] }).axes[1], false)
  assert.deepEqual(options({ series: [], timeSpan: ['2026-11-14T00:00:00Z', '2026-11-15T00:00:00Z'] }).scales.x.range, [1_794_614_400, 1_794_700_800])
  assert.deepEqual(options({ series: [], formatTicks: (all) => all.map((n) => `$${n}`) }).axes[1].values(null, [0, 5]), ['$0', '$5'])
})

test('the histogram has every bucket of the range once, in order', () => {
  const full = { time: '2026-11-14T00:10:00.000Z', expected: 3, fallback: 0, policy: 1, error: 0 }
  const filled = fillBuckets({ from: '2026-11-14T00:07:00Z', to: '2026-11-14T00:20:00Z', step_seconds: 300, buckets: [full] })
  assert.deepEqual(filled.map((b) => b.time), ['2026-11-14T00:05:00.000Z', '2026-11-14T00:10:00.000Z', '2026-11-14T00:15:00.000Z'])
  assert.equal(filled[1], full)
  assert.deepEqual(filled[2], { time: '2026-11-14T00:15:00.000Z', expected: 0, fallback: 0, policy: 0, error: 0 })
})

test('the histogram is drawn again only for other data', () => {
  let data = { from: '2026-11-14T00:07:00Z', to: '2026-11-14T00:20:00Z', step_seconds: 300, buckets: [] }
  let chart
  const page = mount(() => (chart = Histogram({ data }).props))
  const first = chart
  page.update()
  assert.ok(chart !== first && chart.times === first.times && chart.series === first.series, 'the same data')
  data = { ...data }
  page.update()
  assert.ok(chart.times !== first.times && chart.series !== first.series, 'other data')
  page.unmount()
})

test('cumulative costs grow step by step and end at the sums', () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-14T03:30:00Z') })
  const step = (time, baseline, routed) => ({ time, baseline_nano_usd: baseline, routed_nano_usd: routed })
  const data = { from: '2026-11-14T00:30:00Z', to: null, step_seconds: 3600, series: [step('2026-11-14T03:00:00Z', 4_000_000_000n, 5_000_000_000), step('2026-11-14T00:00:00Z', 2_000_000_000, 1_000_000_000)] }
  assert.deepEqual(accumulateCosts(data), {
    times: ['2026-11-14T00:30:00.000Z', '2026-11-14T01:00:00.000Z', '2026-11-14T02:00:00.000Z', '2026-11-14T03:00:00.000Z', '2026-11-14T03:30:00.000Z'],
    baseline: [2, 2, 2, 6, 6], routed: [1, 1, 1, 6, 6],
  })
  mock.timers.reset()
})

test('the breakdown is sorted by amount in both directions, and equal groups keep their order', () => {
  const group = (name, saved, requests) => ({ group: name, saved_nano_usd: saved, requests })
  const groups = [group('a', -5, 2), group('b', 9_007_199_254_740_993n, 1), group('c', 9_007_199_254_740_992n, 2), group('d', 0, 10)]
  const by = (id, up) => sortGroups(groups, columns.find((c) => c.id === id), up).map((g) => g.group).join('')
  assert.equal(by('saved', false), 'bcda')
  assert.equal(by('saved', true), 'adcb')
  assert.equal(by('requests', false), 'dacb', 'numbers are not compared as texts')
  assert.equal(groups[0].group, 'a', 'the list of the page stays as it is')
})
