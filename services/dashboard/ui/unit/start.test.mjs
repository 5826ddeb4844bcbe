// The tools on the page Start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlSnippet, toolNames } from '../src/pages/start/snippets'
import { buildTool } from '../src/pages/start/tools'

const base = 'https://gw.example.com/proxy/v1'

test('every tool but curl has a text with the address and the key', () => {
  for (const { id } of toolNames.filter((t) => t.id !== 'curl')) {
    const withKey = buildTool(id, base, 'sbx_live_x').text
    assert.match(withKey, /https:\/\/gw\.example\.com\/proxy/, id)
    assert.doesNotMatch(withKey, /\{\{/, id)
    if (id !== 'codex') assert.match(withKey, /sbx_live_x/, id)
    const without = buildTool(id, base, undefined).text
    assert.doesNotMatch(without, /sbx_live_x|undefined|\{\{/, id)
    if (id !== 'env') assert.match(without, /SIGNALBOX_KEY/, id)
  }
  assert.equal(buildTool('unknown', base, undefined), undefined)
})

test('vendors get the address without the version', () => {
  assert.match(buildTool('claude', base, undefined).text, /^export ANTHROPIC_BASE_URL=https:\/\/gw\.example\.com\/proxy$/m)
  assert.match(buildTool('env', base, undefined).text, /^GOOGLE_GEMINI_BASE_URL=https:\/\/gw\.example\.com\/proxy$/m)
})

test('curl shows the key or its variable', () => {
  assert.match(curlSnippet(base, 'k'), /Bearer k"/)
  assert.match(curlSnippet(base, undefined), /Bearer \$SIGNALBOX_KEY"/)
})
