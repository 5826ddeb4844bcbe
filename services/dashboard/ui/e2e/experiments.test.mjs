// The story of an experiment: enable it from the page, watch its interval shrink, promote the
// winner, break it, and see the rollback and its reason. A small vendor with known quality
// serves the models.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { api, close, eventually, open, scene, sound, tabTo, text } from './lib.mjs'

const qualities = { 'up-small': 3, 'up-large': 8 }

/** Starts an emulated vendor. Its judge sees the better response. broken fails. */
async function startVendor() {
  const vendor = { broken: '', url: '', stop: () => server.close() }
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const part of req) body += part
    const { model } = JSON.parse(body)
    if (model === vendor.broken) return res.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"out of order"}}')
    const [a, b] = [...body.matchAll(/RESPONSE [AB].{0,4}an answer of quality (\d)/g)].map((m) => m[1])
    const content = model === 'up-judge' ? `VERDICT: ${a === b ? 'TIE' : a > b ? 'A' : 'B'}` : `an answer of quality ${qualities[model]}`
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
      id: 'x', object: 'chat.completion', created: 1, model, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
    }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  vendor.url = `http://127.0.0.1:${server.address().port}/v1`
  return vendor
}

const policy = (url) => `version: 1
providers: {vendor: {kind: openai, base_url: "${url}", allow_private: true}}
models:
  small: {endpoints: [{provider: vendor, model: up-small}], context: 100000, price: {input: "1", output: "2"}}
  large: {endpoints: [{provider: vendor, model: up-large}], context: 100000, price: {input: "1", output: "2"}}
  judge: {endpoints: [{provider: vendor, model: up-judge}], context: 100000, price: {input: "1", output: "2"}}
defaults: {baseline: large, retries: {max: 0}, breaker: {min_requests: 10000}}
routes: {auto: {select: [{target: small}]}}
`

let sent = 0

/** Sends requests of new sessions. Returns the models that served them, undefined for a failure. */
const send = (count) => Promise.all(Array.from({ length: count }, async () => {
  const res = await fetch(scene.base + '/proxy/v1/chat/completions', {
    method: 'POST', headers: { authorization: 'Bearer ' + scene.key, 'content-type': 'application/json', 'x-signalbox-session': `experiment story ${sent++}` },
    body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: `question ${sent}` }] }),
  })
  await res.arrayBuffer()
  return res.ok ? res.headers.get('x-signalbox-model') : undefined
}))

/** The result of the experiment for all tasks. */
const result = async () => (await api(scene.full, 'GET', '/experiments')).items.find((p) => p.experiment === 'larger' && p.task === null)

/** Sends requests until the judge has compared this many. Comparisons are paced, so few samples wait. */
const compare = (count) => eventually(async () => {
  await send(8)
  return ((await result())?.count ?? 0) >= count
}, `${count} comparisons`)

test('an experiment is enabled, promoted, broken and rolled back from the page', async () => {
  const vendor = await startVendor()
  const before = await api(scene.full, 'GET', '/policy')
  const page = await open('/quality')
  try {
    await api(scene.full, 'POST', '/policy/publish', { document: policy(vendor.url) })
    await eventually(async () => (await send(1))[0] === 'small', 'the policy is active')
    await page.reload()

    // Everything by keyboard: take part, then add the experiment.
    await text(page, 'This account does not take part.')
    await tabTo(page, 'Take part…')
    await page.keyboard.press('Enter')
    await text(page, 'You can stop at any time')
    await tabTo(page, 'Take part')
    await page.keyboard.press('Enter')
    await text(page, 'A sample of its requests')
    await tabTo(page, 'Add experiment…')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('larger')
    await dialog.getByLabel('Share of the requests in percent').fill('100')
    await dialog.getByLabel('Candidates').fill('large')
    await dialog.getByLabel('Daily limit in US dollars').fill('10')
    await page.keyboard.press('Enter')
    await text(page, 'Name the model that compares the responses.')
    await dialog.getByLabel('Judge').fill('judge')
    await sound(page)
    await page.keyboard.press('Enter')
    await text(page, 'larger: Running.')

    // The interval shrinks while comparisons come in.
    await compare(5)
    await page.reload()
    await text(page, 'Not enough data yet: about')
    const early = await result()
    for (let count = 10; count <= 60; count += 5) await compare(count) // each within the time limit of a wait
    const late = await result()
    assert.ok(late.high - late.low < early.high - early.low, 'the interval shrinks')
    await page.reload()
    await text(page, 'Better')

    // Pause and resume: a paused experiment samples nothing.
    await page.getByRole('button', { name: 'Pause larger' }).click()
    await dialog.getByRole('button', { name: 'Pause' }).click()
    await text(page, 'larger: Paused: samples nothing.')
    await page.getByRole('button', { name: 'Resume larger' }).click()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await text(page, 'larger: Running.')

    await page.getByRole('button', { name: 'Promote large' }).click()
    await text(page, 'All requests of auto that no rule with conditions decides go to large')
    await sound(page)
    await dialog.getByRole('button', { name: 'Start rollout' }).click()
    await text(page, 'Running at 1 %')
    for (const share of ['10 %', '50 %']) {
      await page.getByRole('button', { name: 'Advance' }).click()
      await text(page, `Running at ${share}`)
    }
    await eventually(async () => (await send(8)).includes('large'), 'the candidate serves sessions')

    // Break the winner: the guardrails roll back, and the page says why.
    vendor.broken = 'up-large'
    await eventually(async () => {
      await send(8)
      return (await api(scene.full, 'GET', '/rollouts')).items[0].state === 'rolled_back'
    }, 'the rollout is rolled back')
    await page.reload()
    await text(page, 'Rolled back.')
    const { reason } = (await api(scene.full, 'GET', '/rollouts')).items[0]
    assert.match(reason, /Error rate/)
    await text(page, reason)
    await eventually(async () => (await send(8)).every((model) => model === 'small'), 'the stable version serves every session')

    await page.getByRole('button', { name: 'Stop larger' }).click()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await text(page, 'The policy has no experiments.')
    await page.getByRole('button', { name: 'Stop taking part' }).click()
    await text(page, 'This account does not take part.')
    await sound(page)
  } finally {
    await close(page)
    await api(scene.full, 'POST', '/policy/rollback', { version: before.version.version })
    vendor.stop()
  }
})

test('in file mode the page explains why it cannot change experiments', async () => {
  const page = await open('/quality')
  await page.route('**/api/v1/policy/experiments', (r) => r.fulfill({ json: {
    version: 'v', read_only: true, routes: ['auto'], items: [{ name: 'try', share: 0.05, routes: ['auto'], keys: [], candidates: ['a'], judge: 'b', daily_usd: '2', paused: false }],
  } }))
  await page.reload()
  await text(page, 'A configuration file controls the policy')
  await text(page, '5 % of auto: a, judged by b, at most $2.00 a day')
  assert.equal(await page.getByRole('button', { name: 'Add experiment…' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Pause try' }).count(), 0)
  await sound(page)
  await close(page)
})
