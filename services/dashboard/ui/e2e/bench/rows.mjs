// Measures the request log with many rows: until rows are visible, sorting, facets and scrolling.
// It prints the figures and never fails: people judge them.
import { open, scene } from '../lib.mjs'
import { print, printTimes, summary } from './report.mjs'

const times = 20
const list = '/requests?range=30d&live=off'
/** The longest wait for one step. A step that takes longer counts as this long. */
const mostMs = 10_000

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

const shown = async (page) => {
  await page.waitForFunction(() => window.firstRow)
  return page.evaluate(() => window.firstRow)
}

/** From the navigation to the first painted row, in a browser with an empty cache. */
async function firstVisits() {
  const took = []
  for (let i = 0; i < times / 2; i++) {
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

/** From the click on a column until the rows in the new order are painted. */
async function sorting() {
  const page = await open(list, { width: 1920 })
  await page.locator('.vbody .vrow').first().waitFor()
  const took = []
  for (let i = 0; i < 3; i++) {
    for (const column of ['routed', 'routed', 'total', 'total', 'tokens', 'tokens', 'saved', 'saved', 'ttft', 'ttft']) {
      await settle()
      took.push(await page.evaluate(async ([id, most]) => {
        const frame = () => new Promise(requestAnimationFrame)
        const order = () => [...document.querySelectorAll('.vbody .vrow')].slice(0, 5).map((r) => r.id).join()
        const before = order(), began = performance.now()
        document.querySelector(`.vhead .of-${id} button`).click()
        while (order() === before && performance.now() - began < most) await frame()
        await frame()
        await frame()
        return performance.now() - began
      }, [column, mostMs]))
    }
  }
  await page.context().close()
  return took
}

/** From the last key until the counted values of a field are painted. The pause that the page waits for further keys is part of it. */
async function facets() {
  const page = await open(list)
  await page.locator('.vbody .vrow').first().waitFor()
  await page.locator('#q').focus()
  await settle()
  const took = []
  for (let i = 0; i < 3; i++) {
    for (const typed of ['model:', 'key:', 'provider:', 'outcome:', 'status:', 'code:', 'route:fallback model:', 'has:error code:']) {
      await page.locator('#q').fill('')
      await settle()
      took.push(await page.evaluate(async ([text, most]) => {
        const frame = () => new Promise(requestAnimationFrame)
        const input = document.querySelector('#q'), began = performance.now()
        input.value = text
        input.setSelectionRange(text.length, text.length)
        input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        while (!document.querySelector('.suggestions:not([hidden]) li .num') && performance.now() - began < most) await frame()
        await frame()
        await frame()
        return performance.now() - began
      }, [typed, mostMs]))
    }
  }
  await page.context().close()
  return took
}

/** Scrolls by a third of the list per frame and counts frames in which the middle of the list is empty. */
async function scrolling() {
  const page = await open(list)
  await page.locator('.vbody .vrow').first().waitFor()
  const seen = await page.evaluate(async () => {
    const box = document.querySelector('.vlist')
    const frame = () => new Promise((r) => requestAnimationFrame(r))
    let frames = 0, blank = 0, longest = 0, last = performance.now()
    for (let i = 0; i < 600; i++) {
      box.scrollTop += box.clientHeight / 3
      await frame()
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      frames++
      const at = box.getBoundingClientRect()
      const middle = document.elementFromPoint(at.left + 40, at.top + at.height / 2)
      const end = box.scrollTop + box.clientHeight >= box.scrollHeight - 40
      if (!middle?.closest('.vrow, .vday') && !end) blank++
    }
    return { frames, blank, longest, rows: Number(box.getAttribute('aria-rowcount')) - 1 }
  })
  await page.context().close()
  return seen
}

printTimes('rows visible, page opened', await visits(), 200)
printTimes('rows visible, link clicked', await clicks(), 200)
printTimes('rows visible, empty cache', await firstVisits())
printTimes('sorting', await sorting(), 400)
printTimes('facets', await facets(), 400)
const s = await scrolling()
print('scrolling', `${s.blank} of ${s.frames} frames blank, longest ${Math.round(s.longest)} ms`, '0 blank', s.blank === 0)
summary()
process.exit(0)
