// Follows a stream of the server's. The browser connects again by itself and
// says where it was; what it missed comes first.
import { signal } from '@preact/signals'

export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/** What the connection of this page is doing. */
export const liveState = signal<LiveState>('off')

export interface Follower<T> {
  /** Everything from now on will come: what was loaded before may lack some. */
  start?: () => void
  /** Rows, the oldest first. */
  rows: (rows: T[]) => void
  /** The server no longer has what was missed: load again. */
  gap: () => void
}

/** Follows an address until the function that it returns is called. */
export function follow<T>(to: string, parse: (text: string) => T[], on: Follower<T>): () => void {
  let source: EventSource | undefined
  let last = ''
  let timer = 0
  let pause = 500
  const connect = () => {
    liveState.value = 'connecting'
    const from = last && `${to.includes('?') ? '&' : '?'}after=${encodeURIComponent(last)}`
    source = new EventSource('/api/v1' + to + from)
    source.onopen = () => {
      liveState.value = 'live'
      pause = 500
    }
    source.addEventListener('start', (e) => {
      const first = last === ''
      last = (e as MessageEvent<string>).lastEventId
      if (first) on.start?.()
    })
    source.addEventListener('rows', (e) => {
      last = (e as MessageEvent<string>).lastEventId
      on.rows(parse((e as MessageEvent<string>).data))
    })
    source.addEventListener('gap', (e) => {
      last = (e as MessageEvent<string>).lastEventId
      on.gap()
    })
    source.onerror = () => {
      liveState.value = 'lost'
      // After an answer that is an error the browser gives up: we do not.
      if (source?.readyState === EventSource.CLOSED) {
        timer = window.setTimeout(connect, pause)
        pause = Math.min(2 * pause, 10_000)
      }
    }
  }
  connect()
  return () => {
    clearTimeout(timer)
    source?.close()
    liveState.value = 'off'
  }
}
