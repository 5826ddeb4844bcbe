import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './render.mjs'
import { EndpointHeadings } from '../src/pages/providers/provider'

test('the measured time of an endpoint is that to the first token', () => {
  assert.match(textOf(EndpointHeadings({ statsHeading: 'Newest requests' })), /FailedFirst tokenLast error/)
})
