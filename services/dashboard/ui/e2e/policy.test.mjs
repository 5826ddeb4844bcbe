import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, close, drawn, eventually, everyState, open, readEditor, scene, sound, tabTo, text, urlOf, writeEditor } from './lib.mjs'

const viewer = { email: 'policy-viewer@example.com', password: 'correct horse battery' }
const key = 'signalbox.policy.draft'
let original

// The tests below need this one.
test('a viewer of the policy joins', async () => {
  original = (await api(scene.full, 'GET', '/policy')).version
  const invite = await api(scene.full, 'POST', '/invites', { role: 'viewer' })
  await api(null, 'POST', '/invites/accept', { token: invite.token, ...viewer })
})

/** A test that publishes. It rolls back afterwards, so that other tests find the original policy. */
const publishing = (name, run) => test(name, async () => {
  try {
    await run()
  } finally {
    await api(scene.full, 'POST', '/policy/rollback', { version: original.version, note: 'after a test' })
  }
})

/** The document with an additional route that no request uses. */
const withRoute = (name, from = original.document) => from.replace(/^routes:\n/m, `routes:\n  ${name}: {select: [{target: sandbox-small}]}\n`)

const area = (page) => page.getByLabel('Policy document')
const button = (page, name) => page.getByRole('button', { name, exact: true })
const publish = (document, note) => api(scene.full, 'POST', '/policy/publish', { document, note })

/** Publishes in the dialog. A click could miss the button, which moves when the preview arrives. */
const confirm = (page) => button(page, 'Publish').press('Enter')

/** Opens the page and waits until the active version is shown. */
async function opened(options) {
  const page = await open('/policy', options)
  await page.getByRole('button', { name: /^View: / }).first().waitFor()
  return page
}

/** Waits until the editor has a text. */
const shows = (page, want) => eventually(async () => {
  const now = await readEditor(page)
  return typeof want === 'string' ? now === want : want.test(now)
}, `the editor has ${want}`)

async function problems(page) {
  await writeEditor(page, 'version: 1\nroutse: {}\n' + original.document.replace(/^version: 1\n/m, '') + '\nproviders: 3\n')
  await button(page, 'Check').click()
  await text(page, 'Did you mean')
}

const sums = { requests: 120, rerouted: 14, refused: 1, served: 2, before_nano_usd: 1_234_000_000, after_nano_usd: 934_000_000, difference_nano_usd: -300_000_000, unpriced: 3, quality_difference: null, latency_difference_us: null }
const replayed = {
  skipped: 4, truncated: true, ...sums, models: [], keys: [],
  routes: [{ group: 'auto', name: null, other: false, ...sums, difference_nano_usd: 0 }, { group: null, name: null, other: false, ...sums, difference_nano_usd: 20_000 }],
  costlier: [{ id: scene.requests[0], route: 'auto', key_id: '', difference_nano_usd: 120_000, before: { model: 'sandbox-small' }, after: { model: 'sandbox-large' } }],
}

const deadRules = `      - {name: first, when: {key.tag: a}, target: sandbox-large} # keeps its comment
      # above the second
      - {name: second, when: {key.tag: a}, target: sandbox-small}
`

/** Options for open that change the server's response. */
const changing = (path, change) => ({ routes: { ['**/api/v1' + path]: async (r) => r.fulfill({ json: change(r.request().method() === 'GET' ? await (await r.fetch()).json() : null) }) } })

const withPolicyFile = (p) => ({ ...p, read_only: true, file_fault: 'the policy file has faults', file_problems: [{ path: 'routes.auto', line: 3, column: 5, code: 'UNKNOWN_FIELD', message: 'there is no field <b>selct</b>', did_you_mean: 'select' }] })

everyState('policy', '/policy', {
  full: { options: {}, ready: async (page) => { await area(page).waitFor(); await text(page, 'Versions'); await page.getByRole('button', { name: /^View: / }).first().waitFor() } },
  problems: { options: {}, ready: problems },
  rules: {
    options: {},
    ready: async (page) => {
      await area(page).waitFor()
      await writeEditor(page, original.document.replace(/^ {4}select:\n/m, '$&' + deadRules))
      await text(page, 'Never applies')
      await text(page, 'No requests in this range')
    },
  },
  'rule from a request': {
    options: {},
    ready: async (page) => {
      await page.goto(scene.base + '/policy?from_request=' + scene.requests[1])
      await text(page, 'The rule applies if all of these are true')
    },
  },
  difference: {
    options: {},
    ready: async (page) => {
      await writeEditor(page, withRoute('seen').replace('retries: {max: 2}', 'retries: {max: 3}'))
      await button(page, 'Compare with active version').click()
      await text(page, 'Changed lines')
      await page.getByText('Changed lines').click()
    },
  },
  explained: {
    options: {},
    ready: async (page) => {
      await page.getByText('Show how a request would be routed').click()
      await page.getByLabel('Required capabilities').fill('tools')
      await page.getByLabel('Message or request body').fill('hi')
      await page.keyboard.press('Enter')
      await text(page, 'This request would go to')
    },
  },
  replay: {
    options: changing('/policy/replay', () => replayed),
    ready: async (page) => {
      await button(page, 'Replay last 7 days').click()
      await text(page, 'would have been routed differently')
      await text(page, 'Requests that would have cost more')
    },
  },
  outdated: {
    options: { init: `sessionStorage.setItem('${key}', JSON.stringify({ email: '${scene.full.email}', text: 'version: 1', baseVersion: 'gone', baseActivatedAt: null }))` },
    ready: (page) => text(page, 'Another version was published after you started this draft'),
  },
  publishing: {
    options: {},
    ready: async (page) => {
      await writeEditor(page, original.document + '# more\n')
      await button(page, 'Publish…').click()
      await page.getByLabel('Note').waitFor()
      await text(page, 'Only the text differs')
      await text(page, 'The draft costs the same as the active policy')
    },
  },
  'read-only': { options: changing('/policy', withPolicyFile), ready: async (page) => { await text(page, 'A file controls this policy, so it is read-only here'); await text(page, 'there is no field <b>selct</b>') } },
  versions: {
    options: changing('/policy/versions*', ({ items: [v] }) => ({ items: [v, { ...v, version: 'b'.repeat(64), active: false, author: 'a.very.long.name@example.com', note: 'legal goes to <b>large</b> from now on, as was agreed' }, { ...v, version: 'c'.repeat(64), active: false, author: '', origin: 'file', note: '' }] })),
    ready: async (page) => {
      await text(page, 'legal goes to <b>large</b>')
      await button(page, 'Roll back: cccccccccccc').scrollIntoViewIfNeeded()
    },
  },
  empty: { options: changing('/policy/versions*', () => ({ items: [] })), ready: (page) => text(page, 'No versions yet') },
  viewer: { options: { who: viewer }, ready: async (page) => { await area(page).waitFor(); await text(page, 'you are a viewer') } },
  error: { options: { fail: true }, ready: (page) => text(page, 'STORE_UNAVAILABLE') },
})

publishing('a draft is checked, fixed, compared, published and rolled back', async () => {
  const page = await opened()
  await problems(page)
  await page.getByRole('button', { name: /^Line 2, column/ }).click()
  await page.waitForFunction(() => document.querySelector('.codeeditor')?.shadowRoot?.activeElement)
  const line = await area(page).evaluate((e) => {
    const { state } = e.cmTile.root.view
    return state.doc.lineAt(state.selection.main.head).number
  })
  assert.equal(line, 2)

  const fixed = withRoute('spare')
  await writeEditor(page, fixed)
  await text(page, 'The text has changed since this result')
  await button(page, 'Check').click()
  await text(page, 'No problems found. Publishing it creates version')
  await page.reload()
  await text(page, 'survives a reload')
  assert.equal(await readEditor(page), fixed)

  await button(page, 'Compare with active version').click()
  await page.locator('.differences').getByText('Route spare').waitFor()
  await page.getByText('Show how a request would be routed').click()
  await page.getByLabel('Model or route').fill('spare')
  await button(page, 'Explain').click()
  await text(page, 'This request would go to sandbox-small')
  await page.getByLabel('Message or request body').fill('{"model": "sandbox-large", "temperature": 0.2, "messages": [{"role": "user", "content": "hi"}]}')
  await text(page, 'Read as the body of a request')
  await button(page, 'Explain').click()
  await text(page, 'This request would go to sandbox-large')
  await button(page, 'Replay last 7 days').click()
  await text(page, 'would have been routed differently')
  await button(page, 'Publish…').click()
  await page.getByLabel('Note').fill('a spare route')
  assert.deepEqual(page.complaints, [])
  await confirm(page)
  await page.getByText('This is a draft.').waitFor({ state: 'detached' })
  const now = (await api(scene.full, 'GET', '/policy')).version
  assert.deepEqual([now.document, now.note, now.author], [fixed, 'a spare route', scene.full.email])
  assert.equal(await readEditor(page), fixed)

  const first = original.version.slice(0, 12)
  await text(page, `${scene.full.email} changed the policy`)
  await page.getByRole('link', { name: 'What changed' }).last().click()
  await page.getByRole('dialog').getByText('Route spare').first().waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Compare: ' + first).click()
  await page.locator('.differences').getByText('Route spare').first().waitFor()
  await sound(page)
  await page.keyboard.press('Escape')
  await button(page, 'View: ' + first).click()
  await page.getByRole('dialog').getByText('routes:').waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Roll back: ' + first).click()
  await sound(page)
  await button(page, 'Roll back').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button(page, 'Roll back: ' + now.version.slice(0, 12)).waitFor()
  assert.equal((await api(scene.full, 'GET', '/policy')).version.version, original.version)
  await page.goto(scene.base + '/account/audit?action=policy')
  const changes = page.locator('.trail li')
  await changes.first().getByText(`${scene.full.email} rolled the policy back`).waitFor()
  assert.match(await changes.nth(1).innerText(), /published a policy[^]*a spare route/)
  await changes.nth(1).getByRole('link', { name: now.version.slice(0, 12), exact: true }).click()
  await page.getByRole('dialog').getByText('Route spare').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/policy$/)
  await close(page)
})

publishing('an outdated draft is reported, stays unchanged and can be published', async () => {
  const page = await opened()
  const mine = withRoute('mine')
  await writeEditor(page, mine)
  await publish(withRoute('theirs'), 'in between')
  await button(page, 'Publish…').click()
  await confirm(page)
  await text(page, 'Your draft is not lost')
  await button(page, 'Cancel').click()
  await text(page, 'Another version was published after you started this draft')
  assert.equal(await readEditor(page), mine)
  await button(page, 'View changes').click()
  await page.getByRole('dialog').getByText('Route theirs').first().waitFor()
  await button(page, 'Close').click()
  await button(page, 'Continue with my draft').click()
  await button(page, 'Publish…').click()
  await confirm(page)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await api(scene.full, 'GET', '/policy')).version.document, mine)
  await close(page)
})

test('a policy that fails its own tests is rejected with positions', async () => {
  const page = await opened()
  const { version } = await api(scene.full, 'GET', '/policy')
  const failing = '{select: [{target: sandbox-small}], tests: [{name: goes large, request: {messages: [{role: user, content: hi}]}, expect: {model: sandbox-large}}]}'
  await writeEditor(page, version.document.replace(/^routes:\n/m, `routes:\n  tested: ${failing}\n`))
  await button(page, 'Publish…').click()
  await confirm(page)
  await text(page, 'POLICY_TESTS_FAILED')
  await page.getByRole('dialog').getByRole('button', { name: /^Line \d+, column/ }).first().click()
  await page.waitForFunction(() => document.querySelector('.codeeditor')?.shadowRoot?.activeElement)
  assert.equal((await api(scene.full, 'GET', '/policy')).version.version, version.version)
  await button(page, 'Discard draft').click()
  await shows(page, version.document)
  assert.equal(await page.evaluate((k) => sessionStorage.getItem(k), key), null)
  await close(page)
})

test('the editor works by keyboard alone and does not trap the focus', async () => {
  const page = await opened()
  await tabTo(page, 'Policy document')
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Tab')
  assert.match(await readEditor(page), /^ {2}\S/)
  await page.keyboard.press('Control+z')
  assert.equal(await readEditor(page), (await api(scene.full, 'GET', '/policy')).version.document)
  await page.keyboard.press('Control+Enter')
  await text(page, 'This document routes requests in the same way as the active version')
  await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Tab')]) // Tab leaves the editor within two seconds of Escape
  await button(page, 'Check').and(page.locator(':focus')).waitFor()
  await figuresDoNotDelayTheEditor(page)
  await close(page)
})

/** While the requests of the rules are counted, the editor can be used, and it keeps its focus and text when the figures arrive. */
async function figuresDoNotDelayTheEditor(page) {
  let count
  const counted = new Promise((done) => (count = done))
  await page.route('**/api/v1/policy/rules?*', (r) => counted.then(() => r.continue()))
  await page.reload()
  await page.getByRole('rowheader', { name: 'good-and-cheap' }).waitFor()
  const changed = withRoute('early')
  await writeEditor(page, changed)
  await page.getByRole('heading', { name: 'Route early' }).waitFor()
  count()
  await page.locator('.rules td.num a').first().waitFor()
  assert.ok(await page.evaluate(() => document.querySelector('.codeeditor').shadowRoot.activeElement))
  assert.equal(await readEditor(page), changed)
  await button(page, 'Discard draft').click()
}

test('rules are ordered by buttons, keys and drag, and comments move with them', async () => {
  const page = await opened()
  await area(page).waitFor()
  const start = original.document.replace(/^ {4}select:\n/m, '$&' + deadRules)
  await writeEditor(page, start)
  const rules = () => page.getByRole('region', { name: 'Rules of auto', exact: true }).locator('th[scope=row] .linklike').allTextContents()
  const order = (...names) => page.waitForFunction((want) => [...document.querySelectorAll('.rules')][0].innerText.match(/first|second|good-and-cheap/g).join() === want, names.join())
  await order('first', 'second', 'good-and-cheap')
  await page.getByRole('button', { name: 'Move first down' }).click()
  await order('second', 'first', 'good-and-cheap')
  await shows(page, /above the second\n {6}- \{name: second,.*\n {6}- \{name: first, .*\} # keeps its comment\n/)
  await page.getByRole('button', { name: 'Move first down' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await order('first', 'second', 'good-and-cheap')
  await shows(page, start)
  await page.locator('.grip').nth(0).dragTo(page.locator('.rules tbody tr').nth(2))
  await order('second', 'good-and-cheap', 'first')
  assert.deepEqual(await rules(), ['second', 'good-and-cheap', 'first'])
  await text(page, 'first is now rule 3 of 3 of auto in the draft')
  await text(page, 'Never applies')
  await button(page, 'Discard draft').click()
  await anotherFloorIsReplayed(page)
  await close(page)
})

/** Another quality floor goes into the draft and is replayed, by keyboard alone. */
async function anotherFloorIsReplayed(page) {
  await page.getByRole('button', { name: 'Try another quality floor for good-and-cheap' }).press('Enter')
  assert.equal((await urlOf(page)).searchParams.get('quality_of'), 'auto.0')
  const field = page.getByLabel('Quality floor of good-and-cheap')
  await field.fill('90 %')
  await field.press('Enter')
  await text(page, 'Enter a number from 0 to 1')
  await sound(page)
  await field.fill('0.9')
  await field.press('Enter')
  await text(page, 'A quality floor of 0.9 instead of')
  await text(page, 'These are the rules of your draft')
  assert.equal((await urlOf(page)).search, '')
  assert.match(await readEditor(page), /^ {8}min_quality: 0\.9$/m)
  const bar = page.getByRole('group', { name: 'Draft', exact: true })
  for (const name of ['Publish draft…', 'Discard']) await eventually(() => bar.getByRole('button', { name }).evaluate((b) => b.getBoundingClientRect().top > 48 && b.getBoundingClientRect().bottom <= innerHeight), name + ' is in view')
  await bar.getByRole('button', { name: 'Discard' }).click()
  await bar.waitFor({ state: 'detached' })
}

test('a figure of a rule opens its requests', async () => {
  const page = await opened()
  const count = page.locator('.rules tbody tr').first().locator('td.num a').first()
  await text(page, 'The figures count the requests of all accounts.')
  const shown = Number.parseInt(await count.textContent(), 10) // of the own account
  assert.ok(shown > 0)
  await count.click()
  await page.waitForURL(/\/requests\?q=rule/)
  await page.getByText(`${shown} requests`).first().waitFor()
  await close(page)
})

test('the editor proposes words and shows problems while typing', async () => {
  const page = await opened()
  await area(page).waitFor()
  await writeEditor(page, original.document.replace(/^ {4}select:\n/m, '$&      - {when: {key.tag: a}, name: x}\n'))
  await page.getByRole('button', { name: 'x', exact: true }).click()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page.waitForFunction(() => performance.getEntriesByType('resource').some((e) => e.name.endsWith('/policy/words')))
  await drawn(page)
  await page.keyboard.type(', str')
  // Enter accepts a proposal, too, but not in the first moments, when it may be meant for the text.
  await page.getByRole('option', { name: /^strategy/ }).click()
  await page.keyboard.type('cheepest, candidates: [sandbox-sm')
  await page.getByRole('option', { name: /^sandbox-small/ }).click()
  await page.keyboard.type(']')
  assert.match(await readEditor(page), /- \{when: \{key.tag: a\}, name: x, strategy: cheepest, candidates: \[sandbox-small\]\}/)
  await page.locator('.cm-lintRange-error', { hasText: 'cheepest' }).waitFor()
  await text(page, '1 problem, the first in line')
  assert.ok(await button(page, 'Publish…').isDisabled())
  await page.keyboard.press('F8')
  await text(page, 'Did you mean cheapest?')
  await page.keyboard.press('Escape')
  await button(page, 'Discard draft').click()
  await close(page)
})

test('without the code of the editor, a text area takes its place', async () => {
  const page = await open('/')
  await page.route('**/chunks/codeeditor-*', (r) => r.abort())
  await page.getByRole('link', { name: 'Policy' }).click()
  await page.locator('textarea[aria-label="Policy document"]').waitFor()
  await close(page)
})

publishing('a rule is made from a request, previewed and published', async () => {
  const page = await open('/requests/' + scene.requests[1])
  await page.getByRole('link', { name: 'Create rule' }).click()
  await page.getByLabel('the client requests a stream').check()
  await page.getByLabel(/the key is /).uncheck()
  await page.getByLabel('Model', { exact: true }).fill('sandbox-large')
  await text(page, '- {name: streams, when: {request.stream: true}, target: sandbox-large}')
  await button(page, 'Add to draft').click()
  await text(page, 'Not active yet')
  assert.equal((await urlOf(page)).search, '')
  await button(page, 'Publish…').click()
  await text(page, 'Route auto, rule streams')
  await page.getByRole('dialog').getByText('would have been routed differently').waitFor()
  assert.deepEqual(page.complaints, [])
  await confirm(page)
  await page.getByText('This is a draft').waitFor({ state: 'detached' })
  const now = (await api(scene.full, 'GET', '/policy')).version
  assert.match(now.document, /select:\n(?: +#.*\n)* {6}- \{name: streams, when: \{request.stream: true\}, target: sandbox-large\}\n/)
  await close(page)
})

test('a draft of another user is ignored', async () => {
  const page = await opened({ init: `sessionStorage.setItem('${key}', JSON.stringify({ email: 'other@example.com', text: 'theirs', baseVersion: 'gone', baseActivatedAt: null }))` })
  assert.notEqual(await readEditor(page), 'theirs')
  await close(page)
})

test('only operators see and load the policy page', async () => {
  const page = await open('/', { who: scene.empty })
  await page.getByRole('link', { name: 'Account' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Policy' }).count(), 0)
  await page.goto(scene.base + '/policy')
  await text(page, 'Only users of the operator account can open this page')
  await close(page)

  const own = await open('/')
  const loaded = () => own.evaluate(() => performance.getEntriesByType('resource').filter((e) => /chunks\/policy-/.test(e.name)).length)
  await own.getByRole('link', { name: 'Policy' }).waitFor()
  assert.equal(await loaded(), 0)
  await own.getByRole('link', { name: 'Policy' }).click()
  await area(own).waitFor()
  assert.equal(await loaded(), 1)
  assert.equal(await own.evaluate(() => document.activeElement.textContent), 'Policy')
  await close(own)
})

test('a page whose code fails to load shows an error', async () => {
  const page = await open('/')
  await page.route('**/chunks/policy-*', (r) => r.abort())
  await page.getByRole('link', { name: 'Policy' }).click()
  await text(page, 'could not be loaded')
  await close(page)
})
