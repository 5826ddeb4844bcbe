import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { close, everyState, open, scene, sound, text } from './lib.mjs'

const signedOut = { who: null }

for (const [name, path, says] of [
  ['docs', '/docs', 'Signalbox documentation'], ['docs-page', '/docs/getting-started', 'Install and start'],
  ['docs-search', '/docs/search?q=budget', 'sections contain'],
]) {
  everyState(name, path, { full: { options: signedOut, ready: (page) => text(page, says) } })
}

// Contrast is a matter of the style, which all pages share, so the states above check it.
const rulesOfContent = ['wcag2a', 'wcag21a', 'best-practice']

/**
 * Runs in a documentation page. Shows another one in its place, which is the same as loading it, because these pages
 * have no scripts and differ in title and body only. axe is slow when it starts, and stays.
 */
async function show(url) {
  const res = await fetch(url)
  const next = new DOMParser().parseFromString(await res.text(), 'text/html')
  const head = (d) => [...d.head.children].filter((e) => e.tagName !== 'TITLE').map((e) => e.outerHTML).join()
  if (!res.ok || next.querySelector('script') || head(next) !== head(document)) throw new Error('this page must be loaded')
  document.title = next.title
  document.body.replaceWith(next.body)
}

test('every documentation page is accessible', async () => {
  const { pages } = JSON.parse(readFileSync('dist/docs/site.json', 'utf8'))
  assert.ok(pages.length > 15)
  const page = await open('/docs', signedOut)
  for (const { url } of pages) {
    await page.evaluate(show, url)
    await sound(page, rulesOfContent).catch((e) => Promise.reject(new Error(`${url}: ${e.message}`)))
  }
  await close(page)
})

test('the search finds words, error codes and nothing', async () => {
  const page = await open('/docs', signedOut)
  for (const [query, link] of [
    ['budget', /^Limits and budgets/], ['fallback', 'Routing policy: Failures and fallback'], ['AUTH_MISSING_KEY', 'Errors: AUTH_MISSING_KEY'],
  ]) {
    await page.getByLabel('Search the documentation').fill(query)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/docs/search?q=${query}`)
    await page.getByRole('main').getByRole('link', { name: link }).first().waitFor()
  }
  await page.getByRole('main').getByRole('link', { name: 'Errors: AUTH_MISSING_KEY' }).click()
  await page.waitForURL(/\/docs\/errors#AUTH_MISSING_KEY$/)
  await page.goto(scene.base + '/docs/search?q=qwxyz')
  await text(page, 'No section contains “qwxyz”')
  await close(page)
})

test('a page of the dashboard links to its documentation', async () => {
  const page = await open('/policy')
  await page.getByRole('link', { name: 'Docs', exact: true }).click()
  await page.waitForURL(/\/docs\/policy$/)
  await text(page, 'Routing policy')
  await close(page)
})
