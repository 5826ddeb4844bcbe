import { close, everyState, open, scene, sound, text, toast } from './lib.mjs'
import { test } from 'node:test'

everyState('quality', '/quality', {
  full: { options: {}, ready: (page) => text(page, 'Score by signals') },
  empty: { options: { who: scene.empty }, ready: (page) => text(page, 'No responses in this range') },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

test('a rating appears in the report of its model', async () => {
  const page = await open(`/requests/${scene.requests[2]}`)
  await page.getByRole('button', { name: 'Good response' }).click()
  await toast(page, 'Rating saved')
  await page.goto(scene.base + '/quality')
  await text(page, 'Not enough data yet: about')
  await text(page, 'sandbox-medium')
  await sound(page)
  await close(page)
})
