// The verdicts of experiments in words, and the models for another run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './browser.mjs'
import { describeVerdict } from '../src/pages/request/compared'
import { modelsToRun, runAgainURL } from '../src/pages/request/runagain'

test('a verdict says which response is better', () => {
  const of = (score, result = 'judged') => describeVerdict({ score, result, model: 'large' })
  assert.equal(of(-1), 'Better than large')
  assert.equal(of(1), 'Worse than large')
  assert.equal(of(-0.5), 'Perhaps better than large')
  assert.equal(of(0), 'As good as large')
  assert.equal(of(null, 'candidate_failed'), 'No verdict (candidate failed)')
})

test('another run offers what was sent, the default model and the other candidates, each once', () => {
  const r = { id: 'i', requested_model: 'auto', model: 'small', baseline: { model: 'large' }, candidates: [{ model: 'small' }, { model: 'large' }, { model: 'mid' }, { model: 'mid' }] }
  assert.deepEqual(modelsToRun(r), ['auto', 'large', 'mid'])
  assert.deepEqual(modelsToRun({ ...r, baseline: { model: null }, candidates: [] }), ['auto'])
  assert.equal(runAgainURL(r, ['small', 'large', 'small']), '/playground?request=i&models=small%2Clarge')
})
