// The server's stream, as the tab that leads reads it. The browser connects
// again by itself and says where it was; what it missed comes first.
import { call } from './api'

/** What the leading tab tells; hello is of another one, whose wishes have changed. */
export type Told =
  | { kind: 'hello' }
  | { kind: 'lost' }
  | { kind: 'start'; filters: string[]; from: string; id: string }
  | { kind: 'rows'; filter: string; text: string; from: string; id: string }
  | { kind: 'gap'; from: string; id: string }

/** How many filters the server follows at once. */
const most = 20

export class Stream {
  private source: EventSource | undefined
  private filters: string[] = []
  private begun = false
  private closed = false
  private timer = 0
  private pause = 500

  /** last is where whoever is told is. */
  constructor(private readonly tell: (m: Told) => void, private readonly last: () => string) {}

  /** Follows what is wanted now; whoever has just come is told that it is. */
  async follow(wanted: () => Promise<string[]>): Promise<void> {
    const filters = (await wanted()).slice(0, most)
    if (this.closed) return
    if (JSON.stringify(filters) !== JSON.stringify(this.filters)) {
      this.filters = filters
      this.connect()
    } else if (this.begun) this.told('start', this.last())
  }

  close(): void {
    this.closed = true
    this.source?.close()
    clearTimeout(this.timer)
  }

  private connect(): void {
    this.source?.close()
    clearTimeout(this.timer)
    this.begun = false
    if (this.filters.length === 0) return
    const q = new URLSearchParams(this.filters.map((f) => ['filter', f]))
    if (this.last()) q.set('after', this.last())
    const source = (this.source = new EventSource('/api/v1/requests/stream?' + q))
    const on = (name: string, does: (e: MessageEvent<string>) => void) => source.addEventListener(name, does as (e: Event) => void)
    on('start', (e) => {
      this.begun = true
      this.pause = 500
      this.told('start', e.lastEventId)
    })
    on('gap', (e) => this.told('gap', e.lastEventId))
    this.filters.forEach((filter, i) => on(i ? `rows.${i}` : 'rows', (e) => {
      this.tell({ kind: 'rows', filter, text: e.data, from: this.last(), id: e.lastEventId })
    }))
    source.onerror = () => this.lost(source)
  }

  private told(kind: 'start' | 'gap', id: string): void {
    this.tell({ kind, filters: this.filters, from: this.last(), id })
  }

  /** After an answer that is an error the browser gives up: we do not, unless the session has ended. */
  private lost(source: EventSource): void {
    this.begun = false
    this.tell({ kind: 'lost' })
    if (source.readyState !== EventSource.CLOSED) return
    call('GET', '/session').catch(() => {})
    this.timer = window.setTimeout(() => this.connect(), this.pause)
    this.pause = Math.min(2 * this.pause, 10_000)
  }
}
