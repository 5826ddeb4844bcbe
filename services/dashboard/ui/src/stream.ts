// The server's event stream of requests, read by the leading tab. After a lost
// connection the browser reconnects with the id of the last event, and the
// server sends the missed requests first.
import { callApi } from './api'

/**
 * A message between tabs. The other tabs send filters-changed to the leader. The
 * leader sends all other kinds. id is the id of the event, and from is the id of
 * the event before it. running has no id: each replaces the one before.
 */
export type StreamMessage =
  | { kind: 'filters-changed' }
  | { kind: 'lost' }
  | { kind: 'start'; filters: string[]; from: string; id: string }
  | { kind: 'rows'; filter: string; text: string; from: string; id: string }
  | { kind: 'gap'; from: string; id: string }
  | { kind: 'running'; filter: string; text: string }

/** The maximum number of filters on one connection. The server rejects more. */
const maxFilters = 20

export class RequestStream {
  private source: EventSource | undefined
  private filters: string[] = []
  private started = false
  private closed = false
  private timer = 0
  private retryDelayMs = 500

  /** lastEventId returns the id of the last event that was published. */
  constructor(private readonly publish: (m: StreamMessage) => void, private readonly lastEventId: () => string) {}

  /** Connects with the filters that the tabs follow now. If the filters have not changed, it publishes the start message again, for a tab that has just begun to follow. */
  async follow(listFilters: () => Promise<string[]>): Promise<void> {
    const filters = (await listFilters()).slice(0, maxFilters)
    if (this.closed) return
    if (JSON.stringify(filters) !== JSON.stringify(this.filters)) {
      this.filters = filters
      this.connect()
    } else if (this.started) this.publishState('start', this.lastEventId())
  }

  close(): void {
    this.closed = true
    this.source?.close()
    clearTimeout(this.timer)
  }

  private connect(): void {
    this.source?.close()
    clearTimeout(this.timer)
    this.started = false
    if (this.filters.length === 0) return
    const q = new URLSearchParams(this.filters.map((f) => ['filter', f]))
    if (this.lastEventId()) q.set('after', this.lastEventId())
    const source = (this.source = new EventSource('/api/v1/requests/stream?' + q))
    const listen = (name: string, handler: (e: MessageEvent<string>) => void) => source.addEventListener(name, handler as (e: Event) => void)
    listen('start', (e) => {
      this.started = true
      this.retryDelayMs = 500
      this.publishState('start', e.lastEventId)
    })
    listen('gap', (e) => this.publishState('gap', e.lastEventId))
    this.filters.forEach((filter, i) => {
      const suffix = i ? `.${i}` : ''
      listen('rows' + suffix, (e) => this.publish({ kind: 'rows', filter, text: e.data, from: this.lastEventId(), id: e.lastEventId }))
      listen('running' + suffix, (e) => this.publish({ kind: 'running', filter, text: e.data }))
    })
    source.onerror = () => this.handleError(source)
  }

  private publishState(kind: 'start' | 'gap', id: string): void {
    this.publish({ kind, filters: this.filters, from: this.lastEventId(), id })
  }

  /** Publishes that the connection is lost. After an error response browsers do not reconnect, so this method does, with growing delays. The call of /session opens the sign-in page if the session has expired. */
  private handleError(source: EventSource): void {
    this.started = false
    this.publish({ kind: 'lost' })
    if (source.readyState !== EventSource.CLOSED) return
    callApi('GET', '/session').catch(() => {})
    this.timer = window.setTimeout(() => this.connect(), this.retryDelayMs)
    this.retryDelayMs = Math.min(2 * this.retryDelayMs, 10_000)
  }
}
