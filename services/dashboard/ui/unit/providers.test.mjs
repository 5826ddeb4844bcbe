import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { EndpointHeadings } from '../src/pages/providers/provider'

test('the time of streamed and other responses is not called the time to the first token', () => {
  const headings = textOf(EndpointHeadings({ statsHeading: 'Newest requests' }))
  assert.match(headings, /FailedResponse timeLast error/)
  assert.doesNotMatch(headings, /First token/)
})
