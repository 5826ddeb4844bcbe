import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { addCandidate, candidatesLine, findAdded } from '../src/pages/policy/added'
import { AddedNotice } from '../src/pages/policy/addednotice'
import { insertLines } from '../src/pages/policy/insert'
import { localLines, policyLines } from '../src/pages/providers/adding'

const active = 'version: 1\nmodels:\n  small: {}\nroutes:\n  auto:\n    select:\n      # - {target: "llama3.2:3b"}\n      - {name: a, candidates: [small]}\n'
const rules = [{ route: 'auto', index: 0, name: 'a', line: 8, action: [{ name: 'candidates', value: '[small]' }] }]
const ollama = { id: 'ollama', base_url: 'http://127.0.0.1:11434/v1', variable: null }
const notice = (text, provider) => textOf(AddedNotice({ of: findAdded(text, provider), rules, text, onText() {} }))

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
  assert.match(says, /A rule with min_quality/)
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
  assert.match(textOf(AddedNotice({ of: findAdded(text, 'ollama'), rules: moved, text, onText() {} })), /Add it to a/)
  const now = addCandidate(text, moved, 'llama3.2:3b').text
  assert.equal(now, text.replace('[small]', '[small, "llama3.2:3b"]'))
  assert.equal(findAdded(now, 'ollama').isRouted, true)
  assert.equal(addCandidate(text.replace('candidates: [small]', 'target: small'), moved, 'x'), null)
  assert.equal(addCandidate(text, [], 'x'), null)
})
