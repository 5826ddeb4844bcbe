// The positions of the dial between cost and quality.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { formatCostChange, formatQualityChange, placePoints } from '../src/pages/quality/dial'

const point = (name, cost_nano_usd, quality) => ({ name, cost_nano_usd, quality, dominated: false })
const today = point('today', 1000, 0.8)

test('a position is compared with today', () => {
  assert.equal(formatCostChange(point('economy', 620, 0.7), today), '−38\u00a0%')
  assert.equal(formatCostChange(point('quality', 1500, 0.9), today), '+50\u00a0%')
  assert.equal(formatCostChange(point('balanced', 1000, 0.8), today), 'the same')
  assert.equal(formatCostChange(point('balanced', 5, 0.8), point('today', 0, 0.8)), 'more')
  assert.equal(formatQualityChange(point('economy', 620, 0.779), today), '−2.1 points')
  assert.equal(formatQualityChange(point('economy', 620, 0.8), today), 'the same')
})

test('cheap is on the left and good at the top', () => {
  const [cheap, good] = placePoints([point('economy', 0, 0.5), point('quality', 10, 0.9)], 100, 50)
  assert.deepEqual([cheap.x, cheap.y, good.x, good.y], [0, 50, 100, 0])
  assert.deepEqual(placePoints([today], 100, 50), [{ names: ['today'], x: 50, y: 25 }])
  const near = placePoints([today, { ...today, name: 'economy' }, point('quality', 10, 0.9)], 100, 50)
  assert.deepEqual(near.map((d) => d.names), [['today', 'economy'], ['quality']], 'one label for points at one place')
})
