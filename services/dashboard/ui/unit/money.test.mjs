import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { decimalPlaces, displayedSavings, formatAxisDollars, formatCell, formatExact, formatPercent, formatPerThousand, formatShare, formatTotal, formatTotals, percentOf } from '../src/money'

const cell = (nano, to) => Object.values(formatCell(nano, to)).join('')
const triple = (routed, baseline) => ({ routed, baseline, saved: routed === null || baseline === null ? null : BigInt(baseline) - BigInt(routed) })
const dollar = 1_000_000_000n

test('a cell never shows an amount as zero', () => {
  const cases = [
    [0, 6, '$0'], [1, 6, '$0.000000001'], [-1, 6, '−$0.000000001'], [499, 6, '$0.000000499'], [500, 6, '$0.000001'],
    [999, 6, '$0.000001'], [1000, 6, '$0.000001'], [1499, 6, '$0.000001'], [1500, 6, '$0.000002'], [1, 2, '$0.000000001'],
    [4_999_999, 2, '$0.005000'], [5_000_000, 2, '$0.01'], [49_999, 4, '$0.000050'], [-2_500_000, 6, '−$0.002500'],
  ]
  for (const [nano, to, want] of cases) assert.equal(cell(nano, to), want, `${nano} with ${to} decimals`)
})

test('a cell dims the zeros before the first digit only', () => {
  assert.deepEqual(formatCell(1_204_000), { sign: '', dim: '$0.00', text: '1204' })
  assert.deepEqual(formatCell(-204), { sign: '−', dim: '$0.000000', text: '204' })
  assert.deepEqual(formatCell(1_050_000_000), { sign: '', dim: '', text: '$1.050000' })
})

test('a cell counts large amounts in millions from ten million dollars on', () => {
  assert.equal(cell(9_999_999n * dollar, 2), '$9,999,999.00')
  assert.equal(cell(10_000_000n * dollar, 2), '$10.00M')
  assert.equal(cell(-12_345_678n * dollar, 2), '−$12.35M')
})

test('amounts that are shown together get the decimals that their size needs', () => {
  const cases = [
    [triple(0, 0), 6], [triple(null, null), 6], [triple(999, 5_000_000), 9], [triple(1000, 5_000_000), 6], [triple(5_000_999, 5_001_000), 9],
    [triple(0, 10n * dollar - 1n), 6], [triple(0, 10n * dollar), 4], [triple(0, 1000n * dollar - 1n), 4], [triple(0, 1000n * dollar), 2], [triple(-10n * dollar, null), 4],
  ]
  for (const [amounts, want] of cases) assert.equal(decimalPlaces(amounts), want, String(Object.values(amounts)))
})

test('the savings of a row are the difference of the amounts as shown', () => {
  assert.equal(displayedSavings(triple(1_400, 3_500), 6), 3000n, '$0.000004 minus $0.000001')
  assert.equal(displayedSavings(triple(3_500, 1_400), 6), -3000n)
  assert.equal(displayedSavings(triple(1_400, 1_450), 6), 50n, 'a difference below the last digit stays visible')
  assert.equal(displayedSavings({ routed: 1, baseline: 5, saved: 3 }, 6), 3, 'sums over unknown prices stay as they are')
  assert.equal(displayedSavings(triple(null, 5), 6), null)
})

test('three totals add up as shown and hide nothing', () => {
  const shown = (routed, baseline) => { const { write, ...t } = formatTotals(triple(routed, baseline)); return t }
  assert.deepEqual(shown(0, 0), { routed: '$0.00', baseline: '$0.00', saved: '$0.00' })
  assert.deepEqual(shown(12_340_000_000, 37_520_000_000), { routed: '$12.34', baseline: '$37.52', saved: '$25.18' })
  assert.deepEqual(shown(1_004_000_000, 2_008_000_000), { routed: '$1.004', baseline: '$2.008', saved: '$1.004' }, 'cents would show that 2.01 minus 1.00 is 1.00')
  assert.deepEqual(shown(3, 2_000_000_000), { routed: '$0.000000003', baseline: '$2.000000000', saved: '$1.999999997' })
  assert.deepEqual(shown(2_500_000, 1_000_000), { routed: '$0.0025', baseline: '$0.0010', saved: '−$0.0015' })
  assert.deepEqual(shown(0, 999_999_999), { routed: '$0.00', baseline: '$1.00', saved: '$1.00' })
  const unknown = formatTotals({ routed: 5_000_000_000, baseline: 2_000_000_000, saved: 1_000_000_000 })
  assert.equal(unknown.saved, '$1.00')
  assert.equal(formatTotals(triple(12_340_000, 20_000_000)).write(5_000_000), '$0.00500', 'further amounts get the same decimals')
})

test('an exact amount keeps all digits and at least cents', () => {
  const cases = [[0, '$0.00'], [1, '$0.000000001'], [-1, '−$0.000000001'], [10_000_000, '$0.01'], [500_000_000, '$0.50'], [1_230_000_000, '$1.23'], [1_234_500_000, '$1.2345'], [1_234_567_891_234_567_891n, '$1,234,567,891.234567891'], [100_000_000_000, '$100.00']]
  for (const [nano, want] of cases) assert.equal(formatExact(nano), want)
})

test('a total has cents from one dollar on, and four digits below', () => {
  const cases = [
    [0, '$0.00'], [1, '$0.000000001'], [-1, '−$0.000000001'], [9_999, '$0.000009999'], [12_345, '$0.00001235'], [123_449_999, '$0.1234'], [123_450_000, '$0.1235'],
    [999_949_999, '$0.9999'], [999_950_000, '$1.00'], [999_999_999, '$1.00'], [dollar, '$1.00'], [1_004_999_999, '$1.00'], [1_005_000_000, '$1.01'], [-1_005_000_000, '−$1.01'], [-999_999_999, '−$1.00'], [1_000_000n * dollar, '$1,000,000.00'],
  ]
  for (const [nano, want] of cases) assert.equal(formatTotal(nano), want, String(nano))
})

test('the labels of an axis differ, and each is the exact tick', () => {
  assert.deepEqual(formatAxisDollars([0, 10, 20]), ['$0', '$10', '$20'])
  assert.deepEqual(formatAxisDollars([0, 0.5, 1]), ['$0.00', '$0.50', '$1.00'])
  assert.deepEqual(formatAxisDollars([-0.001, 0, 0.001]), ['−$0.001', '$0.000', '$0.001'])
  assert.deepEqual(formatAxisDollars([0, 2.5, 5, 7.5]), ['$0.00', '$2.50', '$5.00', '$7.50'])
  assert.deepEqual(formatAxisDollars([0, 0.0025, 0.005, 0.0075]), ['$0.0000', '$0.0025', '$0.0050', '$0.0075'])
  assert.deepEqual(formatAxisDollars([0, 0.00025, 0.0005]), ['$0.00000', '$0.00025', '$0.00050'])
  assert.deepEqual(formatAxisDollars([0, 2500, 5000]), ['$0', '$2,500', '$5,000'])
})

test('shares', () => {
  assert.equal(percentOf(1, 0), null)
  assert.equal(formatShare(5, 0), '')
  assert.equal(percentOf(2, 2), 100)
  assert.equal(percentOf(3n * dollar, 2n * dollar), 150)
  assert.equal(percentOf(999_999_999, dollar) < 100, true, 'nearly all is not all')
  assert.equal(percentOf(-1, 4), -25)
  assert.equal(formatShare(2, 3), '67\u00a0%')
})

test('a percentage is rounded, but never to 0 or to 100', () => {
  const cases = [
    [0, '0'], [0.04, '0.04'], [0.0999, '0.1'], [0.1, '0.1'], [1.25, '1.3'], [9.94, '9.9'], [9.96, '10'], [10, '10'], [66.5, '67'], [98.9, '99'], [99, '99'], [99.5, '99.50'],
    [99.999, '99.99'], [100, '100'], [100.4, '100'], [-0.04, '−0.04'], [-12.6, '−13'], [-99.999, '−99.99'], [-100, '−100'],
  ]
  for (const [p, want] of cases) assert.equal(formatPercent(p), want + '\u00a0%', String(p))
})

test('the amount per thousand requests', () => {
  assert.equal(formatPerThousand(5_000_000, 0), '')
  assert.equal(formatPerThousand(5_000_000, 5), '$1.00')
  assert.equal(formatPerThousand(9_007_199_254_740_993n, 1000), '$9,007,199.25')
})
