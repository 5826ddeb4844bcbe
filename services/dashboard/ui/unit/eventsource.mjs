// An EventSource whose events the test sends.

/** All sources that were opened, in order. */
export const opened = []

export class FakeEventSource {
  static CONNECTING = 0
  static OPEN = 1
  static CLOSED = 2
  readyState = FakeEventSource.OPEN
  handlers = new Map()

  constructor(url) {
    this.url = url
    opened.push(this)
  }

  addEventListener(name, handler) { this.handlers.set(name, handler) }
  close() { this.readyState = FakeEventSource.CLOSED }
  emit(name, data, lastEventId) { this.handlers.get(name)({ data, lastEventId }) }

  fail(readyState) {
    this.readyState = readyState
    this.onerror()
  }
}

globalThis.EventSource = FakeEventSource
