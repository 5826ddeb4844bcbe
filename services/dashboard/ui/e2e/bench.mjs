// Measures the request log in the browser and prints a table. It never fails:
// the figures are for people to judge.
import { open, scene } from './lib.mjs'

const percentile = (all, p) => [...all].sort((a, b) => a - b)[Math.ceil((all.length * p) / 100) - 1]

const times = 20
const list = '/requests?range=30d&live=off'

const shown = async (page) => {
  await page.waitForFunction(() => window.firstRow)
  return page.evaluate(() => window.firstRow)
}

/** From the navigation to the first drawn row, in a browser with an empty cache. */
async function firstVisits() {
  const took = []
  for (let i = 0; i < times; i++) {
    const page = await open(list, { init: watchRows, fresh: true })
    took.push(await shown(page))
    await page.context().close()
    await settle()
  }
  return took
}

/** The same in a browser with a filled cache. */
async function visits() {
  const page = await open(list, { init: watchRows })
  const took = []
  for (let i = 0; i < times; i++) {
    await settle()
    await page.goto(scene.base + list)
    took.push(await shown(page))
  }
  await page.context().close()
  return took
}

/** From the click on the page's link on another page. */
async function clicks() {
  const page = await open('/keys')
  const took = []
  for (let i = 0; i < times; i++) {
    await page.goto(scene.base + '/keys?range=30d')
    await page.locator('h1').waitFor()
    await settle()
    took.push(await page.evaluate(async () => {
      const frame = () => new Promise(requestAnimationFrame)
      const began = performance.now()
      document.querySelector('nav a[href="/requests"]').click()
      while (!document.querySelector('.vbody .vrow')) await frame()
      await frame()
      await frame()
      return performance.now() - began
    }))
  }
  await page.context().close()
  return took
}

/** Waits until the browser is idle, as it would be after the user has read a page. */
const settle = () => new Promise((r) => setTimeout(r, 500))

/** Records when the first row is painted. */
function watchRows() {
  const seen = new MutationObserver(() => {
    if (!document.querySelector('.vbody .vrow')) return
    seen.disconnect()
    requestAnimationFrame(() => requestAnimationFrame(() => (window.firstRow = performance.now())))
  })
  seen.observe(document, { childList: true, subtree: true })
}

/** Scrolls by a third of the list per frame and counts frames in which the middle of the list is empty. */
async function scrolling() {
  const page = await open('/requests?range=30d&live=off')
  await page.locator('.vbody .vrow').first().waitFor()
  const seen = await page.evaluate(async () => {
    const list = document.querySelector('.vlist')
    const frame = () => new Promise((r) => requestAnimationFrame(r))
    let frames = 0, blank = 0, longest = 0, last = performance.now()
    for (let i = 0; i < 600; i++) {
      list.scrollTop += list.clientHeight / 3
      await frame()
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      frames++
      const box = list.getBoundingClientRect()
      const at = document.elementFromPoint(box.left + 40, box.top + box.height / 2)
      const end = list.scrollTop + list.clientHeight >= list.scrollHeight - 40
      if (!at?.closest('.vrow') && !end) blank++
    }
    return { frames, blank, longest, rows: Number(list.getAttribute('aria-rowcount')) - 1 }
  })
  await page.context().close()
  return seen
}

/** From the end of a response to its row, at the given requests per second. */
async function live(rate, seconds) {
  const page = await open('/requests?range=1h', { init: noteRows })
  await page.waitForFunction(() => document.body.textContent.includes('Live'))
  const ended = new Map()
  const send = async () => {
    const res = await fetch(scene.edge + '/proxy/v1/chat/completions', {
      method: 'POST', headers: { authorization: 'Bearer ' + scene.key, 'content-type': 'application/json' },
      body: '{"model":"auto","messages":[{"role":"user","content":"hi"}]}',
    })
    await res.arrayBuffer()
    ended.set(res.headers.get('x-request-id'), Date.now())
  }
  const running = []
  for (let i = 0; i < rate * seconds; i++) {
    running.push(send())
    await new Promise((r) => setTimeout(r, 1000 / rate))
  }
  await Promise.all(running)
  await page.waitForTimeout(3000)
  const seen = new Map(await page.evaluate(() => window.rowsSeen))
  const doubled = await page.evaluate(() => window.rowsDoubled)
  await page.context().close()
  const late = [...ended].filter(([id]) => seen.has(id)).map(([id, at]) => Math.max(0, seen.get(id) - at))
  return { sent: ended.size, seen: late.length, doubled, late }
}

/** Records when each row of the live stream is painted. */
function noteRows() {
  window.rowsSeen = []
  window.rowsDoubled = 0
  const known = new Set()
  const add = EventSource.prototype.addEventListener
  EventSource.prototype.addEventListener = function (name, f) {
    return add.call(this, name, name !== 'rows' ? f : (e) => {
      f(e)
      const ids = JSON.parse(e.data).map((r) => r.id)
      requestAnimationFrame(() => requestAnimationFrame(() => {
        for (const id of ids) {
          if (known.has(id)) window.rowsDoubled++
          known.add(id)
          window.rowsSeen.push([id, Date.now()])
        }
      }))
    })
  }
}

const [fresh, again, clicked] = [await firstVisits(), await visits(), await clicks()]
const scrolled = await scrolling()
const followed = await live(200, 10)
const ms = (n) => (n === undefined ? 'none' : `${Math.round(n)} ms`)
const line = (took) => `p50 ${ms(percentile(took, 50))}, p95 ${ms(percentile(took, 95))}`
console.log(`
rows visible: opened         ${line(again)}   (must: p95 250 ms)
              clicked        ${line(clicked)}   (must: p95 250 ms)
              first visit    ${line(fresh)}   (an empty cache and a new process of the browser)
scrolling                    ${scrolled.blank} of ${scrolled.frames} frames blank, longest frame ${ms(scrolled.longest)}, ${scrolled.rows} rows loaded   (must: 0)
live at 200 requests/s       ${line(followed.late)}   (must: p95 1000 ms)
                             ${followed.seen} of ${followed.sent} rows seen, ${followed.doubled} doubled   (must: all, 0)
`)
process.exit(0)
