import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { countProviders, describeAdding, policyLines } from '../src/pages/providers/adding'
import { Result } from '../src/pages/providers/local'

const openai = { id: 'openai', variable: 'OPENAI_API_KEY', base_url: 'https://api.openai.com/v1', configured: true }
const mistral = { id: 'mistral', variable: 'MISTRAL_API_KEY', base_url: 'https://api.mistral.ai/v1', configured: false }
const ollama = { id: 'ollama', variable: null, base_url: 'http://127.0.0.1:11434/v1', configured: false }
const from = (origin, read_only = false) => ({ version: { origin }, read_only })

test('only what applies now tells how to add a provider', () => {
  const both = [openai, mistral, ollama]
  assert.match(describeAdding(from('default'), both), /^Signalbox generates the policy .* Set the variable of a provider, and restart\. Add a provider without a variable to the draft/)
  assert.doesNotMatch(describeAdding(from('default'), [mistral]), /draft/)
  for (const origin of ['publish', 'rollback', 'rollout']) assert.match(describeAdding(from(origin), both), /^Add a provider to the draft, and publish it\. The proxies read its credential from the variable/)
  assert.match(describeAdding(from('file', true), both), /^The policy comes from a file\. Copy the lines/)
  assert.equal(describeAdding(undefined, both), '')
  assert.equal(describeAdding(from('default'), [openai]), '')
})

test('a provider without a variable needs no variable', () => {
  assert.equal(describeAdding(from('default'), [ollama]), 'Add a provider to the draft, and publish it.')
  for (const policy of [from('publish'), from('file', true)]) assert.doesNotMatch(describeAdding(policy, [ollama]), /variable/)
  assert.equal(policyLines(ollama, []), 'providers:\n  ollama: {allow_private: true}\n')
  assert.equal(policyLines({ id: 'sandbox', variable: null, base_url: null }, []), 'providers:\n  sandbox: {}\n')
  assert.equal(policyLines(mistral, []), 'providers:\n  mistral:\n    keys: [{ref: env:MISTRAL_API_KEY}]\n')
  assert.match(policyLines({ id: 'azure', variable: 'AZURE_OPENAI_API_KEY', base_url: null }, []), /base_url: https.*\n {4}keys: \[\{ref: env:AZURE/)
})

test('the count is that of the shown providers', () => {
  assert.equal(countProviders([openai, mistral, ollama]), '3 providers, 1 configured')
  assert.equal(countProviders([mistral]), '1 provider, 0 configured')
})

test('a search for local servers says what to do next', () => {
  const says = (found) => textOf(Result({ of: { available: true, items: [], ...found } }))
  assert.match(says({}), /Name a model now, and start its server before you publish, for example with ollama serve\.$/)
  assert.match(says({ available: false }), /Only the all-in-one can\./)
})
