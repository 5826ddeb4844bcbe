import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { addCandidate, candidatesLine, findAdded } from '../src/pages/policy/added'
import { AddedNotice } from '../src/pages/policy/addednotice'
import { insertLines } from '../src/pages/policy/insert'
import { Problems } from '../src/pages/policy/problems'
import { localLines, policyLines } from '../src/pages/providers/adding'
import { firstLocalModel, insertLocalModel, isSilent } from '../src/pages/providers/localmodel'

const active = 'version: 1\nmodels:\n  small: {}\nroutes:\n  auto:\n    select:\n      # - {target: "llama3.2:3b"}\n      - {name: a, candidates: [small]}\n'
const rules = [{ route: 'auto', index: 0, name: 'a', line: 8, action: [{ name: 'candidates', value: '[small]' }] }]
const ollama = { id: 'ollama', base_url: 'http://127.0.0.1:11434/v1', variable: null }
const checked = (problems, of = rules) => ({ now: { problems, rules: of }, last: { problems, rules: of } })
const notice = (text, provider, problems = []) => textOf(AddedNotice({ of: findAdded(text, provider), check: checked(problems), text, onText() {} }))

test('after a local server was added, the page names the lines that are missing', () => {
  const text = insertLines(active, policyLines(ollama, []))
  assert.deepEqual(findAdded(text, 'ollama'), { provider: 'ollama', line: 10, isLocal: true, models: [], isRouted: false })
  const says = notice(text, 'ollama')
  assert.match(says, /ollama is in the draft\. No route uses it yet\. Two more steps:/)
  assert.match(says, /"NAME": \{endpoints: \[\{provider: ollama, model: "NAME"\}\], price: /)
  assert.match(says, /candidates: \[small, NAME\]/)
})

test('the models of a local server that was found are added, and a route has to name them', () => {
  const text = insertLines(active, policyLines(ollama, [{ provider: 'vllm', models: ['x'] }, { provider: 'ollama', models: ['llama3.2:3b'] }]))
  assert.equal(text, insertLines(active, localLines('ollama', ['llama3.2:3b'])))
  assert.deepEqual(findAdded(text, 'ollama').models, ['llama3.2:3b'])
  const says = notice(text, 'ollama')
  assert.match(says, /and so is its model llama3\.2:3b\. No route uses it yet\. Next step:Add its name/)
  assert.match(says, /candidates: \[small, "llama3\.2:3b"\]/)
  assert.match(says, /Signalbox assumes the quality 0\.6 for a local model/)
  assert.match(notice(text.replace('[small]', '["llama3.2:3b", small]'), 'ollama'), /a route can choose its models\. Check the draft, and publish it\./)
})

test('a provider of the catalog needs only the names of its models', () => {
  const text = insertLines(active, policyLines({ id: 'mistral', base_url: 'https://api.mistral.ai/v1', variable: 'MISTRAL_API_KEY' }, []))
  assert.match(notice(text, 'mistral'), / {2}NAME: \{\}/)
  assert.equal(findAdded(active, 'mistral'), null)
  assert.equal(findAdded(text, null), null)
})

test('a rule without candidates gets a list', () => {
  assert.equal(candidatesLine('a:b', []), 'candidates: ["a:b"]')
})

test('a button adds the model to the candidates of a rule', () => {
  const text = insertLines(active, localLines('ollama', ['llama3.2:3b']))
  const moved = [{ ...rules[0], line: 9 }]
  assert.match(textOf(AddedNotice({ of: findAdded(text, 'ollama'), check: checked([], moved), text, onText() {} })), /Add it to a/)
  const now = addCandidate(text, moved, 'llama3.2:3b').text
  assert.equal(now, text.replace('[small]', '[small, "llama3.2:3b"]'))
  assert.equal(findAdded(now, 'ollama').isRouted, true)
  assert.equal(addCandidate(text.replace('candidates: [small]', 'target: small'), moved, 'x'), null)
  assert.equal(addCandidate(text, [], 'x'), null)
})

test('the notice does not say to publish a draft that has problems or is not checked', () => {
  const text = insertLines(active, localLines('ollama', ['llama3.2'])).replace('[small]', '[small, "llama3.2"]')
  const unpriced = [{ code: 'UNPRICED_MODEL', line: 8, column: 1, path: '', message: '"llama3.2" has no price: add a price under "models"' }]
  const says = notice(text, 'ollama', unpriced)
  assert.match(says, /Fix 1 problem first:Line 8: "llama3\.2" has no price.*price: \{input: "0", output: "0"\}/)
  for (const s of [says, notice(insertLines(active, localLines('ollama', [])), 'ollama', unpriced), textOf(AddedNotice({ of: findAdded(text, 'ollama'), check: { ...checked([]), now: null }, text, onText() {} }))]) assert.doesNotMatch(s, /and publish it/)
})

test('one step adds the server, the model and the candidate', () => {
  const model = { provider: 'ollama', address: 'http://127.0.0.1:11434/v1', model: 'llama3.2' }
  const once = insertLocalModel(active, rules, model)
  assert.equal(once, insertLines(active.replace('[small]', '[small, llama3.2]'), localLines('ollama', ['llama3.2'])))
  assert.deepEqual([findAdded(once, 'ollama').models, findAdded(once, 'ollama').isRouted], [['llama3.2'], true])
  const now = [{ ...rules[0], line: 9, action: [{ name: 'candidates', value: '[small, llama3.2]' }] }]
  assert.equal(insertLocalModel(once, now, model), once, 'a second time changes nothing')
  const twice = insertLocalModel(once, now, { ...model, model: 'qwen3:8b' })
  assert.equal(twice.match(/allow_private/g).length, 1)
  assert.deepEqual(findAdded(twice, 'ollama').models, ['qwen3:8b', 'llama3.2'])
  assert.match(insertLocalModel(active, rules, { ...model, address: 'http://10.0.0.7:1/v1' }), /ollama: \{base_url: "http:\/\/10\.0\.0\.7:1\/v1", allow_private: true\}/)
})

test('a free model is reported if a rule that chooses the cheapest may prefer it', () => {
  const text = insertLocalModel(active, rules, { provider: 'ollama', address: 'http://127.0.0.1:11434/v1', model: 'llama3.2' })
  const says = (action, of = text) => {
    const checkedRules = [{ ...rules[0], action: Object.entries({ candidates: '[small, llama3.2]', ...action }).map(([name, value]) => ({ name, value })) }]
    return textOf(AddedNotice({ of: findAdded(of, 'ollama'), check: checked([], checkedRules), text: of, onText() {} }))
  }
  assert.match(says({ strategy: 'cheapest', min_quality: '0.55' }), /llama3\.2 costs nothing, and its quality 0\.6 reaches the floor 0\.55 of a, so it may take most requests/)
  assert.match(says({ strategy: 'cheapest', min_quality: '0.6' }), /reaches the floor/)
  assert.match(says({ strategy: 'cheapest' }), /a chooses the cheapest model without a quality floor, so/)
  for (const quiet of [{ strategy: 'cheapest', min_quality: '0.61' }, { strategy: 'quality' }, { strategy: 'cheapest', candidates: '[small]' }]) assert.doesNotMatch(says(quiet), /costs nothing/)
  assert.doesNotMatch(says({ strategy: 'cheapest' }, text.replace('input: "0"', 'input: "0.5"')), /costs nothing/)
})

test('a local server that did not answer is reported', () => {
  const model = { provider: 'ollama', address: 'http://127.0.0.1:11434/v1', model: 'x' }
  assert.deepEqual([isSilent([], model), isSilent([{ provider: 'ollama' }], model), isSilent(null, model), isSilent([], { ...model, address: 'http://10.0.0.7:1/v1' })], [true, false, false, false])
  const text = insertLocalModel(active, rules, model)
  const says = (silent) => textOf(AddedNotice({ of: findAdded(text, 'ollama'), silent, check: checked([]), text, onText() {} }))
  assert.match(says(true), /Its server did not answer\. Start it before you publish/)
  assert.doesNotMatch(says(false), /did not answer/)
})

test('the form starts with a server that was found', () => {
  assert.deepEqual(firstLocalModel([]), { provider: 'ollama', address: 'http://127.0.0.1:11434/v1', model: '' })
  assert.deepEqual(firstLocalModel([{ provider: 'tei', models: ['e'] }, { provider: 'vllm', models: ['qwen'] }]), { provider: 'vllm', address: 'http://127.0.0.1:8000/v1', model: 'qwen' })
})

test('problems keep names as they are, and begin with a capital letter otherwise', () => {
  const says = (message) => textOf(Problems({ all: [{ path: '', line: 3, column: 1, code: 'UNPRICED_MODEL', message }] }))
  assert.match(says('"llama3.2" has no price'), /column 1"llama3\.2" has no price/)
  assert.match(says('model "x" has no endpoint'), /column 1Model "x" has/)
})
