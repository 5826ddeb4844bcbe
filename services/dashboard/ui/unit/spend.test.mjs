// The spend page: steps of the chart, the order of groups, the forecast, and the brush.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { brushedRange } from '../src/components/plot'
import { findGrouping } from '../src/pages/impact/groups'
import { BudgetShare, ForecastSentence, forecastShare } from '../src/pages/spend/forecast'
import { chartSeries, costSeries, stepRange, stepStarts } from '../src/pages/spend/steps'
import { SpendTable, sortSpend } from '../src/pages/spend/table'
import { measured, VolumeSentence, VolumeTable } from '../src/pages/spend/volume'

const group = (group, cost, requests, costs = null) => ({ group, requests, routed_nano_usd: cost, baseline_nano_usd: 0, saved_nano_usd: 0, unpriced: 0, costs })
const data = {
  from: '2026-11-14T10:30:00Z', to: '2026-11-14T13:30:00Z', step_seconds: 3600, series: [], other_costs: [],
  ...group(null, 9, 9), groups: [group('a', 5_000_000_000, 1, [{ time: '2026-11-14T12:00:00Z', cost_nano_usd: 5_000_000_000 }]), group(null, 3, 9)],
}
const by = findGrouping('key')

test('every step of the range has a value, also without requests', () => {
  const starts = stepStarts(data)
  assert.deepEqual(starts.map((t) => new Date(t).toISOString().slice(11, 16)), ['10:00', '11:00', '12:00', '13:00'])
  const { series, groups } = costSeries(data, by, starts)
  assert.deepEqual(series.map((s) => s.values), [[0, 0, 5, 0]])
  assert.equal(groups[0].group, 'a')
  assert.equal(stepStarts({ ...data, to: null }, Date.parse('2026-11-14T11:00:01Z')).length, 2, 'a range without an end goes on until now')
})

test('groups without their own costs share one series', () => {
  const { series, groups } = costSeries({ ...data, other_costs: [{ time: '2026-11-14T10:00:00Z', cost_nano_usd: 2_000_000_000 }] }, by, stepStarts(data))
  assert.deepEqual(series.map((s) => [s.name, s.values[0]]), [['a', 0], ['Others', 2]])
  assert.equal(groups.at(-1), null)
})

test('a step links to the part of it that is in the range', () => {
  assert.equal(stepRange(data, Date.parse('2026-11-14T10:00:00Z')), '2026-11-14T10:30:00.000Z..2026-11-14T11:00:00.000Z')
  assert.equal(stepRange(data, Date.parse('2026-11-14T13:00:00Z')), '2026-11-14T13:00:00.000Z..2026-11-14T13:30:00.000Z')
})

test('groups are sorted by cost unless the address says otherwise', () => {
  const names = (sort) => sortSpend([group('few', 10, 1), group('many', 10n ** 19n, 500), group('mid', 20, 400)], sort).map((g) => g.group)
  assert.deepEqual(names(null), ['many', 'mid', 'few'])
  assert.deepEqual(names('cost.up'), ['few', 'mid', 'many'])
  assert.deepEqual(names('requests'), ['many', 'mid', 'few'])
  assert.deepEqual(names('each.up'), ['mid', 'few', 'many'])
  assert.deepEqual(names('nonsense'), ['many', 'mid', 'few'])
})

const month = (more) => ({ from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z', keys: [], account: { spent_nano_usd: 2_000_000_000, per_day_nano_usd: 1_000_000_000, days: 7, forecast_nano_usd: 5_000_000_000, budget_nano_usd: null, reached_at: null, ...more } })
const sentence = (more, groupBudgets = 0) => textOf(ForecastSentence({ month: month(more), groupBudgets }))

test('the forecast is compared with the budget', () => {
  assert.match(sentence(), /^November \(UTC\) has cost \$2\.00 so far\. At the average of the last 7 complete days, \$1\.00 per day, it will cost about \$5\.00\. The account has no monthly budget/)
  assert.match(sentence({ budget_nano_usd: 10_000_000_000 }), /That is 50\u00a0% of the budget of \$10\.00\.$/)
  assert.match(sentence({ budget_nano_usd: 4_000_000_000, reached_at: '2026-11-20T00:00:00Z' }), /The budget of \$4\.00 will be used up about Fri 20 Nov/)
  assert.match(sentence({ budget_nano_usd: 1_000_000_000, reached_at: '2026-11-16T00:00:00Z' }), /The budget of \$1\.00 is used up\.$/)
  assert.match(sentence({ days: 0, per_day_nano_usd: null, forecast_nano_usd: null }), /A forecast needs one complete day of spend/)
  assert.equal(forecastShare(month({ budget_nano_usd: 4_000_000_000 }).account), 125)
  assert.equal(forecastShare(month().account), null)
})

test('without a forecast, the share of the budget is what is spent', () => {
  assert.match(sentence({ days: 0, per_day_nano_usd: null, forecast_nano_usd: null, budget_nano_usd: 10_000_000_000 }), /So far, 20\u00a0% is spent of the budget of \$10\.00\.$/)
  assert.match(sentence({}, 2), /The account also has 2 group budgets\.$/)
  assert.equal(textOf(BudgetShare({ spent: 1, forecast: null, limit: 4 })), '25\u00a0% spent')
  assert.equal(textOf(BudgetShare({ spent: 1, forecast: 2, limit: 4 })), '50\u00a0% forecast')
})

test('a drag selects whole steps, and bars are drawn around the start of their step', () => {
  const at = (text) => Date.parse(`2026-11-14T${text}Z`) / 1000
  assert.equal(brushedRange(at('09:40:00'), at('11:20:00'), 3600, true), '2026-11-14T10:00:00.000Z..2026-11-14T12:00:00.000Z')
  assert.equal(brushedRange(at('09:40:00'), at('11:20:00'), 3600, false), '2026-11-14T09:00:00.000Z..2026-11-14T12:00:00.000Z')
})

test('tokens and requests are charted and listed by group', () => {
  const tokens = { from: data.from, to: data.to, step_seconds: 3600, requests: 3, input_tokens: 12_000, output_tokens: 3000, other_values: [], groups: [{ group: 'a', requests: 3, input_tokens: 12_000, output_tokens: 3000, values: [{ time: '2026-11-14T12:00:00Z', value: 15_000 }] }] }
  assert.equal(measured(tokens, 'tokens'), 15_000)
  assert.equal(measured(tokens, 'requests'), 3)
  const { series } = chartSeries(tokens.groups.map((g) => ({ group: g, steps: g.values })), tokens.other_values, by, stepStarts(tokens))
  assert.deepEqual(series[0].values, [0, 0, 15_000, 0])
  const scope = { filter: '', range: '30d' }
  assert.match(textOf(VolumeTable({ data: tokens, by, scope, measure: 'tokens' })), /KeyInput tokensOutput tokensRequestsSharea12\.0k3,0003100.%All12\.0k3,0003/)
  assert.match(textOf(VolumeTable({ data: { ...tokens, input_tokens: null, output_tokens: null }, by, scope, measure: 'requests' })), /KeyRequestsSharea3100.%All3/)
  const says = (measure) => textOf(VolumeSentence({ data: tokens, by, scope, measure }))
  assert.match(says('tokens'), /^3 requests used 15\.0k tokens in the last 30 days\. The key a used most: 15\.0k \(100.%\)\.$/)
  assert.match(says('requests'), /^3 requests in the last 30 days\. The key a had most: 3 \(100.%\)\.$/)
})

test('the same cost looks alike in a sentence, in the table and on the other pages', () => {
  const d = { ...data, ...group(null, 1_234_567_890, 9), groups: [group('a', 1_234_567_890, 9), group('b', 45_678_900, 1)] }
  assert.match(textOf(SpendTable({ data: d, by, scope: null })), /a\$1\.23100.%9.*b\$0\.04568.*All\$1\.239/)
})
