import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from './browser.mjs'
import { mount } from './mount.mjs'
import { boot } from '../src/boot'
import { isOutdated, startDraft, useDraft } from '../src/pages/policy/draft'
import { insertLines } from '../src/pages/policy/insert'

const version = { version: 'v1', activated_at: '2026-11-14T00:00:00Z' }

/** Reads the draft as a page does that was just opened. */
function open(email) {
  boot.user = { email, role: 'owner' }
  let draft
  mount(() => (draft = useDraft()))
  return () => draft
}

test('a draft outlives the page, but another user of the tab does not get it', () => {
  const mine = open('a@example.com')
  assert.equal(mine()[0], null)
  mine()[2](startDraft(version, 'routes: {}'))
  assert.equal(open('a@example.com')()[0].text, 'routes: {}')
  assert.equal(open('b@example.com')()[0], null)
  mine()[2](null)
  assert.equal(open('a@example.com')()[0], null)
})

test('a draft that the browser cannot store stays on the page and says so', async () => {
  const set = sessionStorage.setItem
  sessionStorage.setItem = () => { throw new Error('full') }
  const draft = open('a@example.com')
  draft()[2](startDraft(version, 'long'))
  await settle()
  assert.deepEqual([draft()[0].text, draft()[1]], ['long', false])
  sessionStorage.setItem = set
})

test('a stored draft that is damaged is ignored', () => {
  sessionStorage.setItem('signalbox.policy.draft', '{"email":"a@example.com"')
  assert.equal(open('a@example.com')()[0], null)
})

test('a draft is outdated if another version, or the same one again, became active', () => {
  const draft = startDraft(version, 'x')
  assert.equal(isOutdated(draft, version), false)
  assert.equal(isOutdated(draft, { ...version, version: 'v2' }), true)
  assert.equal(isOutdated(draft, { ...version, activated_at: '2026-11-15T00:00:00Z' }), true)
})

test('lines are inserted into their sections, and the rest stays as it is', () => {
  const lines = 'providers:\n  ollama: {allow_private: true}\nmodels:\n  "a:b": {}\n'
  assert.equal(insertLines('version: 1\nproviders: # ours\n  openai: {}\n', lines), 'version: 1\nproviders: # ours\n  ollama: {allow_private: true}\n  openai: {}\nmodels:\n  "a:b": {}\n')
  assert.equal(insertLines('version: 1', 'providers:\n  x:\n    keys: []\n'), 'version: 1\nproviders:\n  x:\n    keys: []\n')
  assert.equal(insertLines('providers:\n    openai: {}\n', 'providers:\n  x:\n    keys: []\n'), 'providers:\n    x:\n      keys: []\n    openai: {}\n')
  assert.equal(insertLines('providers: {openai: {}}\n', lines), null)
})
