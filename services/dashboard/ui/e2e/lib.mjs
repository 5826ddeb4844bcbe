// Shared by all page tests: a browser, signed-in users, and the checks that
// every page must pass in every state.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { chromium, request } from 'playwright-core'

/** The tested Signalbox, as deploy/e2e/browser/scene_test.go describes it. */
export const scene = JSON.parse(process.env.SIGNALBOX_SCENE)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// The headless shell renders with the same engine at half the CPU time of the whole browser.
const shell = '/usr/bin/chromium-headless-shell'
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
  args: [
    '--no-sandbox', '--disable-dev-shm-usage',
    '--font-render-hinting=none', // by default the shell draws wider letters than the whole browser
    // These save CPU time: one process for all pages, drawing in the browser's own process, fewer collections of
    // young objects, of which axe creates many, and no optimised code, which a page that closes soon does not repay.
    // Turbofan and Maglev both optimise.
    '--renderer-process-limit=1', '--in-process-gpu', '--js-flags=--min-semi-space-size=64 --max-semi-space-size=64 --no-turbofan --no-maglev',
  ],
})
after(() => browser.close())

/** Signed-in clients of the API, by e-mail address. They need no browser. */
const clients = new Map()

async function clientOf(who) {
  if (!clients.has(who.email)) {
    const client = await request.newContext({ baseURL: scene.base })
    const res = await client.post('/api/v1/login', { data: { email: who.email, password: who.password } })
    assert.equal(res.status(), 200, await res.text())
    clients.set(who.email, client)
  }
  return clients.get(who.email)
}

/** Calls the API as a user, or signed out if who is null. Returns the parsed response. */
export async function api(who, method, to, data) {
  const client = who ? await clientOf(who) : await request.newContext({ baseURL: scene.base })
  const res = await client.fetch('/api/v1' + to, { method, data })
  const text = await res.text()
  assert.ok(res.ok(), `${method} ${to}: ${text}`)
  if (!who) await client.dispose() // the response may sign in
  return text ? JSON.parse(text) : undefined
}

const editorOf = (page) => page.getByLabel('Policy document')

/** The text of the policy editor. The editor renders only the lines near the visible ones, so this reads its state. */
export const readEditor = (page) => editorOf(page).evaluate((e) => e.cmTile.root.view.state.doc.toString())

/** Replaces the text of the policy editor by pasting. It waits for the editor, because a hidden element cannot get the focus. */
export async function writeEditor(page, text) {
  await editorOf(page).waitFor()
  await editorOf(page).focus()
  await page.keyboard.press('Control+a')
  await editorOf(page).evaluate((e, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    e.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
}

/** The address of a page. page.url() learns changes within a page later than the page itself. */
export const urlOf = async (page) => new URL(await page.evaluate(() => location.href))

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page, name) {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const el = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
      return el?.getAttribute('aria-label') ?? el?.labels?.[0]?.textContent ?? el?.textContent ?? ''
    })
    if (at.trim() === name) return
  }
  assert.fail(`Tab does not reach ${name}`)
}

/**
 * Presses two keys of a shortcut at once. The pages expect the second within a second, which separate calls may miss on
 * a busy machine. A page registers its shortcuts after it was drawn for the first time.
 */
export async function pressPair(page, first, second) {
  await page.locator('h1').first().waitFor()
  await drawn(page)
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)])
}

/**
 * Contexts that no test uses. Chromium starts processes for a new context, which costs a
 * second of CPU time, so tests use a context again once close has emptied it.
 */
const idle = []
const anchors = new WeakMap()

/** Creates a context. Its anchor, an empty page of the origin, keeps the process of the origin alive. */
async function newContext() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' })
  const anchor = await context.newPage()
  await anchor.route('**/*', (r) => r.fulfill({ contentType: 'text/html', body: '' }))
  await anchor.goto(scene.base)
  anchors.set(context, anchor)
  return context
}

/** Closes a page and empties its context. Routes, init scripts and session storage end with the page. */
export async function close(page) {
  const context = page.context()
  await page.close()
  await anchors.get(context).evaluate(() => localStorage.clear())
  await context.clearCookies()
  await context.clearPermissions()
  assert.equal(context.pages().length, 1, 'a test closes every page that it opened')
  idle.push(context)
}

/**
 * Opens a page. options: who (scene.full), scheme (light), width (1280),
 * height (800), fail (every API call returns an error), init (a script that
 * runs in the page first), fresh (the browser has an empty cache), routes (mocked
 * calls: each URL pattern has a handler of Playwright, or the JSON of the response).
 */
export async function open(path, options = {}) {
  const { who = scene.full, scheme = 'light', width = 1280, height = 800, fail = false, init, fresh = false, routes = {} } = options
  const context = (!fresh && idle.pop()) || (await newContext())
  if (who) await context.addCookies((await (await clientOf(who)).storageState()).cookies)
  const page = await context.newPage()
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  await page.addInitScript(recordToasts)
  if (init) await page.addInitScript(init)
  page.complaints = []
  page.on('pageerror', (e) => page.complaints.push(e.message))
  page.on('console', (m) => {
    // The browser logs every error response. With fail they are intended.
    if (m.type() === 'error' && !(fail && /Failed to load resource/.test(m.text()))) page.complaints.push(m.text())
  })
  if (fail) await page.route('**/api/v1/**', (r) => r.fulfill({ status: 503, headers: { 'x-request-id': 'r-1' }, json: { error: 'The ledger cannot be read at the moment.', code: 'STORE_UNAVAILABLE', details: {} } }))
  for (const [pattern, mock] of Object.entries(routes)) await page.route(pattern, typeof mock === 'function' ? mock : (r) => r.fulfill({ json: mock }))
  await page.goto(scene.base + path)
  return page
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Checks accessibility (axe, all rules by default), page width, headings and console errors. With resized, nothing but
 * the width has changed since the last check, so that contrast is checked only of elements that were not visible before.
 */
export async function sound(page, rules = allRules, resized = false) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axe};(${rememberContrast})()`)
  const [violations, wide, headings] = await page.evaluate(async ([runOnly, resized]) => {
    window.contrastChecked.skip = resized
    // No details of passed rules. The pages have neither frames nor media, and no rule that runs reads the styles.
    const found = await axe.run(document, { runOnly, resultTypes: ['violations'], iframes: false, preload: false })
    const { scrollWidth, clientWidth } = document.documentElement
    return [found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' | ')}`), scrollWidth - clientWidth, document.querySelectorAll('h1').length]
  }, [rules, resized])
  assert.deepEqual(violations, [])
  assert.ok(wide <= 0, `the page is ${wide} px wider than the window`)
  assert.equal(headings, 1)
  assert.deepEqual(page.complaints, [])
}

/** Runs in the page. Makes axe remember the elements whose contrast it checked, and skip these if contrastChecked.skip is set. */
function rememberContrast() {
  const nodes = new WeakSet(), state = (window.contrastChecked = { skip: false })
  const rule = axe._audit.rules.find((r) => r.id === 'color-contrast'), matches = rule.matches
  rule.matches = (node, ...rest) => {
    if (state.skip && nodes.has(node)) return false
    const applies = matches.call(rule, node, ...rest)
    if (applies) nodes.add(node)
    return applies
  }
}

const shots = process.env.SCREENSHOTS

/**
 * Tests a page in every state, theme and width. states maps a name to
 * {options, ready}; ready waits until the page shows that state.
 */
export function everyState(name, path, states) {
  for (const [state, { options, ready }] of Object.entries(states)) {
    test(`${name}, ${state}`, async () => {
      const page = await open(path, options)
      try {
        await ready(page)
        await everyLook(page, `${name}-${state}`, shots || state === 'full' ? looks : looks.filter((l) => l.scheme === 'light'))
      } finally {
        await close(page)
      }
    })
  }
}

/** Checks an open page in every theme and width. name is that of its screenshots. */
export async function everyLook(page, name, all = looks) {
  for (const look of all) {
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: look.width, height: 800 })
    await drawn(page)
    await sound(page, look.rules, look.resized).catch((e) => Promise.reject(new Error(`${look.scheme}, ${look.width}: ${e.message}`)))
    if (shots) await page.screenshot({ path: `${shots}/${name}-${look.scheme}-${look.width}.png` })
  }
}

/** Every theme, and the widest and the narrowest window. The dark theme is only checked for contrast, and only of full pages. make screenshots checks everything at every width. */
const looks = shots ? [390, 820, 1280, 1440, 1920].flatMap((width) => ['light', 'dark'].map((scheme) => ({ scheme, width }))) : [
  { scheme: 'light', width: 1280 },
  { scheme: 'light', width: 320, resized: true },
  { scheme: 'dark', width: 1280, rules: ['color-contrast', 'link-in-text-block'] },
]

/** Waits until changes are drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(r)))))

/** Waits up to 30 s until check returns true. */
export async function eventually(check, what) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) {
    if (await check()) return
  }
  assert.fail(`not within 30 s: ${what}`)
}

/** Waits until a text is visible. Closed menus may contain it, too. */
export const text = (page, words) => page.getByText(words).filter({ visible: true }).first().waitFor()

/** Runs in the page. Records the texts of toasts, because a toast disappears after five seconds. */
function recordToasts() {
  window.toasts = []
  new MutationObserver(() => {
    const now = document.querySelector('.toast')?.textContent
    if (now && now !== window.toasts.at(-1)) window.toasts.push(now)
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

/** Waits until the page has shown a toast with these words since it was loaded. If not, the error says what the page shows. */
export const toast = (page, words) => page.waitForFunction((w) => window.toasts.some((t) => t.includes(w)), words).catch(async (e) => {
  const shown = await page.evaluate(() => `toasts ${JSON.stringify(window.toasts)}, page:\n${document.body.innerText}`)
  throw new Error(`no toast "${words}": ${e.message}; ${shown}`)
})

let people = 0

/** Creates a user with an own account, session and key. send makes requests for a model that does not exist. */
export async function newcomer() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const post = async (to, data) => {
    const res = await context.request.post(scene.base + to, { data })
    assert.ok(res.ok(), `${to}: ${await res.text()}`)
    return res
  }
  const who = { email: `newcomer-${process.pid}-${people++}@example.com`, password: 'correct horse battery' }
  await post('/api/v1/register', who)
  const { key } = await (await post('/api/v1/keys', { name: 'own' })).json()
  /** Sends a chat completion and returns its response. */
  const proxy = (data) => context.request.post(scene.base + '/proxy/v1/chat/completions', { headers: { authorization: 'Bearer ' + key }, data })
  const send = async (count = 1, model = 'nobody-has-it') => {
    for (let left = count; left > 0; left -= 20) {
      await Promise.all(Array.from({ length: Math.min(20, left) }, async () => {
        const res = await proxy({ model, messages: [{ role: 'user', content: 'hi' }] })
        assert.equal(res.status(), 404, await res.text())
      }))
    }
  }
  /** Waits until the ledger has this many requests, which is shortly after their responses. */
  const recorded = (count) => eventually(async () => {
    let have = 0
    for (let cursor = ''; cursor !== undefined;) {
      const page = await (await context.request.get(`${scene.base}/api/v1/requests?limit=200&cursor=${cursor}`)).json()
      have += page.items.length
      cursor = page.next_cursor || undefined
    }
    return have === count
  }, `${count} requests are recorded`)
  const tab = async (path) => {
    const page = await context.newPage()
    await page.addInitScript(recordToasts)
    page.complaints = []
    page.on('pageerror', (e) => page.complaints.push(e.message))
    await page.goto(scene.base + path)
    return page
  }
  return { context, key, post, proxy, send, recorded, tab }
}
