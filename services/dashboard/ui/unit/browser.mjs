// The parts of a browser that the pages' logic uses. Import this file first.
import { options } from 'preact'

class Storage {
  #values = new Map()
  getItem(name) { return this.#values.get(name) ?? null }
  setItem(name, value) { this.#values.set(name, String(value)) }
  removeItem(name) { this.#values.delete(name) }
}

const page = new EventTarget()
page.hidden = false
page.getElementById = () => null
page.querySelector = () => null
page.documentElement = { dataset: {} }

const address = { href: 'https://signalbox.test/requests', origin: 'https://signalbox.test', pathname: '/requests', search: '', assigned: null, assign(to) { this.assigned = to } }
const setAddress = (_state, _title, url) => (address.href = String(url))

Object.assign(globalThis, {
  window: globalThis, document: page, location: address, localStorage: new Storage(), sessionStorage: new Storage(),
  matchMedia: () => new EventTarget(), history: { pushState: setAddress, replaceState: setAddress }, scrollTo() {}, innerWidth: 1440, innerHeight: 900,
  addEventListener: page.addEventListener.bind(page), requestAnimationFrame: (f) => setImmediate(f),
})
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })

// A timer of the pages does not keep the test process running.
const { setTimeout } = globalThis
globalThis.setTimeout = (...args) => setTimeout(...args).unref()

// Effects run in the next microtask, as components render again.
options.requestAnimationFrame = (run) => queueMicrotask(run)

/** Lets the effects and promises that are due run. */
export async function settle() {
  for (let i = 0; i < 4; i++) await new Promise((done) => setImmediate(done))
}

/** A response of the server. It needs no timers and no streams, so that settle is enough to read it. */
export const jsonResponse = (body, status = 200) => ({
  ok: status < 300, status, headers: new Headers({ 'x-request-id': 'req-1' }), text: async () => JSON.stringify(body) ?? '',
})
