// The positions of the dial between cost and quality.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { findCheaper, formatCostChange, formatQualityChange } from '../src/pages/quality/dial'
import { placePoints } from '../src/pages/quality/drawing'

const point = (name, cost_nano_usd, quality) => ({ name, cost_nano_usd, quality, dominated: false })
const today = point('today', 1000, 0.8)

test('a position is compared with the active policy', () => {
  assert.equal(formatCostChange(point('economy', 620, 0.7), today), '−38\u00a0%')
  assert.equal(formatCostChange(point('quality', 1500, 0.9), today), '+50\u00a0%')
  assert.equal(formatCostChange(point('balanced', 1000, 0.8), today), 'the same')
  assert.equal(formatCostChange(point('balanced', 5, 0.8), point('today', 0, 0.8)), 'more')
  assert.equal(formatQualityChange(point('economy', 620, 0.779), today), '−2.1 points')
  assert.equal(formatQualityChange(point('economy', 620, 0.8), today), 'the same')
})

test('the cheapest position is offered only if it saves something', () => {
  const all = [today, point('economy', 620, 0.7), point('balanced', 900, 0.8), point('quality', 1500, 0.9)]
  assert.equal(findCheaper(all, today).name, 'economy')
  assert.equal(findCheaper([today, point('economy', 1000, 0.8)], today), undefined)
})

test('cheap is on the left and good at the top', () => {
  const [cheap, good] = placePoints([point('economy', 0, 0.5), point('quality', 10, 0.9)], 100, 50)
  assert.deepEqual([cheap.x, cheap.y, good.x, good.y], [0, 50, 100, 0])
  const [only] = placePoints([today], 100, 50)
  assert.deepEqual([only.x, only.y, only.labelY], [50, 25, 25])
})

test('labels cover neither each other nor other dots', () => {
  const same = placePoints([today, { ...today, name: 'economy' }, { ...today, name: 'balanced' }, point('quality', 2000, 0.9)], 480, 140)
  const near = placePoints([point('economy', 0, 0.5), point('balanced', 50, 0.51), point('quality', 60, 0.5), point('baseline', 1000, 0.9)], 480, 140)
  for (const dots of [same, near]) {
    for (const a of dots) for (const b of dots) {
      if (a === b || Math.abs(a.x - b.x) > 90) continue
      assert.ok(Math.abs(a.labelY - b.labelY) >= 15, `${a.point.name} and ${b.point.name}`)
      assert.ok(b.x <= a.x + 9 || Math.abs(b.y - a.labelY) >= 7, `the label of ${a.point.name} and the dot of ${b.point.name}`)
    }
  }
})
