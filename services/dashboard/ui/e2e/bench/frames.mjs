// Measures the live request log at 200 requests per second: every row appears once and soon, and no frame is blank.
import { open, scene } from '../lib.mjs'
import { print, printTimes, summary } from './report.mjs'

const rate = 200
const seconds = 10

/** Records when each row of the stream is painted. */
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

/** Looks at every frame until window.stopFrames is set: a frame is blank if no row is in the middle of the list, and a row is double if two elements have its id. */
function watchFrames() {
  const seen = (window.frames_ = { frames: 0, blank: 0, doubled: 0, longest: 0 })
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    seen.longest = Math.max(seen.longest, now - last)
    last = now
    seen.frames++
    const list = document.querySelector('.vlist')
    const at = list?.getBoundingClientRect()
    if (!at || !document.elementFromPoint(at.left + 40, at.top + at.height / 2)?.closest('.vrow, .vday')) seen.blank++
    const ids = [...document.querySelectorAll('.vbody .vrow')].map((r) => r.id)
    if (new Set(ids).size !== ids.length) seen.doubled++
    if (!window.stopFrames) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

const ended = new Map()

async function send() {
  const res = await fetch(scene.edge + '/proxy/v1/chat/completions', {
    method: 'POST', headers: { authorization: 'Bearer ' + scene.key, 'content-type': 'application/json' },
    body: '{"model":"auto","messages":[{"role":"user","content":"hi"}]}',
  })
  await res.arrayBuffer()
  ended.set(res.headers.get('x-request-id'), Date.now())
}

const page = await open('/requests?range=30d', { init: noteRows })
await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
await page.locator('.vbody .vrow').nth(15).waitFor()
await page.evaluate(watchFrames)
const began = Date.now(), running = []
for (let i = 0; i < rate * seconds; i++) {
  running.push(send())
  await new Promise((r) => setTimeout(r, Math.max(0, began + (i * 1000) / rate - Date.now()))) // late ones catch up
}
await Promise.allSettled(running)
for (const end = Date.now() + 20_000; Date.now() < end && (await page.evaluate(() => window.rowsSeen.length)) < ended.size;) await new Promise((r) => setTimeout(r, 250))
const result = await page.evaluate(() => {
  window.stopFrames = true
  return { seen: window.rowsSeen, doubled: window.rowsDoubled, frames: window.frames_ }
})
const at = new Map(result.seen)
const late = [...ended].filter(([id]) => at.has(id)).map(([id, time]) => Math.max(0, at.get(id) - time))
printTimes(`live at ${rate}/s, until painted`, late, 1000)
print('live rows', `${late.length} of ${ended.size} seen`, 'all', late.length === ended.size && ended.size === rate * seconds)
print('live rows twice', `${result.doubled} in events, ${result.frames.doubled} frames with a double row`, '0', result.doubled + result.frames.doubled === 0)
print('live frames', `${result.frames.blank} of ${result.frames.frames} blank, longest ${Math.round(result.frames.longest)} ms`, '0 blank', result.frames.blank === 0)
summary()
process.exit(0)
