// Measures every page with Lighthouse and prints the medians. It has packages of its own, because
// only this benchmark needs them. Run it with make bench-ui PART=lighthouse.
import { existsSync } from 'node:fs'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import desktop from 'lighthouse/core/config/desktop-config.js'
import { median, print, summary } from '../e2e/bench/report.mjs'

const scene = JSON.parse(process.env.SIGNALBOX_SCENE)
const rounds = Number(process.env.ROUNDS ?? 5)
/** No round begins after this time, so that the whole benchmark ends. */
const deadline = Date.now() + Number(process.env.MINUTES ?? 14) * 60_000

/** The first round also has the categories that do not vary. */
const categories = ['performance', 'accessibility', 'best-practices']
const musts = { desktop: { performance: 99, accessibility: 100, 'best-practices': 100 }, mobile: { performance: 95, accessibility: 100, 'best-practices': 100 } }

/** Signs in and returns the cookie. */
async function signIn() {
  const res = await fetch(scene.base + '/api/v1/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(scene.full) })
  if (!res.ok) throw new Error(`sign in: ${res.status} ${await res.text()}`)
  return res.headers.getSetCookie().map((c) => c.split(';')[0]).join('; ')
}

async function newestRequest(cookie) {
  const res = await fetch(scene.base + '/api/v1/requests?limit=1', { headers: { cookie } })
  return (await res.json()).items[0].id
}

const cookie = await signIn()
const all = ['/', '/requests', '/requests/' + (await newestRequest(cookie)), '/sessions', '/impact', '/spend', '/errors', '/alerts', '/quality', '/start', '/playground', '/keys', '/models', '/providers', '/policy', '/system', '/accounts', '/account', '/docs', '/login']
const paths = process.env.PAGES ? all.filter((p) => process.env.PAGES.split(',').includes(p)) : all
const shell = '/usr/bin/chromium-headless-shell'
const chrome = await launch({ chromePath: process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium'), chromeFlags: ['--headless', '--no-sandbox', '--disable-dev-shm-usage'], logLevel: 'silent' })
process.on('SIGTERM', () => void Promise.resolve(chrome.kill()).finally(() => process.exit(1)))

/** Measures one page once. Returns the scores, or null if Lighthouse failed. */
async function measure(path, form, first) {
  const flags = {
    port: chrome.port, logLevel: 'silent', output: 'json', maxWaitForLoad: 20_000, onlyCategories: first ? categories : ['performance'],
    disableFullPageScreenshot: true, ...(path === '/login' ? {} : { extraHeaders: { Cookie: cookie } }),
  }
  try {
    const { lhr } = await lighthouse(scene.base + path, flags, form === 'desktop' ? desktop : undefined)
    if (first) complain(path, form, lhr)
    return Object.fromEntries(Object.entries(lhr.categories).map(([name, c]) => [name, Math.round((c.score ?? 0) * 100)]))
  } catch (e) {
    console.error(`${form} ${path}: ${e.message}`)
    return null
  }
}

/** Prints the audits that cost points. */
function complain(path, form, lhr) {
  for (const [name, c] of Object.entries(lhr.categories)) {
    for (const ref of c.auditRefs) {
      const a = lhr.audits[ref.id]
      if (ref.weight > 0 && a.score !== null && a.score < 0.9) console.error(`${form} ${path}: ${name}: ${a.title}${a.displayValue ? `, ${a.displayValue}` : ''}`)
    }
  }
}

const found = new Map()
let done = 0
for (; done < rounds && Date.now() < deadline; done++) {
  for (const form of ['desktop', 'mobile']) {
    for (const path of paths) {
      if (Date.now() > deadline) break
      const scores = await measure(path, form, done === 0)
      const key = `${form} ${path}`
      for (const [name, score] of Object.entries(scores ?? {})) {
        const of = found.get(key) ?? found.set(key, {}).get(key)
        ;(of[name] ??= []).push(score)
      }
    }
  }
}
await chrome.kill()
for (const form of ['desktop', 'mobile']) {
  for (const path of paths) {
    const scores = found.get(`${form} ${path}`)
    const must = musts[form]
    const name = `${form} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`
    if (!scores) print(name, 'not measured', Object.values(must).join('/'), false)
    else {
      const got = categories.map((c) => median(scores[c] ?? [0]))
      print(name, `${got.join('/')}, median of ${scores.performance.length}: ${scores.performance.join(' ')}`, Object.values(must).join('/'), categories.every((c, i) => got[i] >= must[c]))
    }
  }
}
summary()
process.exit(0)
