// Follows what becomes visible. The tabs of a browser share one connection, as
// it has few: one tab leads, which is to say that it reads the stream and tells
// the others. Where the browser has no locks each tab has its own.
import { signal } from '@preact/signals'
import { parse } from './api'
import { boot } from './boot'
import { Stream, type Told } from './stream'
import type { Request } from './types'

export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/** What the connection of this page is doing. */
export const liveState = signal<LiveState>('off')

export interface Follower {
  /** Everything from now on will come: what was loaded before may lack some. */
  start: () => void
  /** Rows, the oldest first; some may come again. */
  rows: (rows: Request[]) => void
  /** The server no longer has what was missed: load again. */
  gap: () => void
}

interface Following {
  filter: string
  on: Follower
  started: boolean
}

const name = `signalbox.live ${boot.version} ${boot.account?.id}`
const channel = 'locks' in navigator && 'BroadcastChannel' in window ? new BroadcastChannel(name) : null
const following = new Set<Following>()
/** Where this tab is in the order in which things became visible. */
let last = ''

/** Follows a filter until the function that it returns is called. */
export function follow(filter: string, on: Follower): () => void {
  const me = { filter, on, started: false }
  following.add(me)
  if (liveState.value === 'off') liveState.value = 'connecting'
  const release = want(filter)
  lead()
  return () => {
    following.delete(me)
    release()
    if (following.size === 0) {
      liveState.value = 'off'
      last = ''
    }
    lead()
  }
}

/** Says that a filter is wanted by a lock that others see, and that ends with the tab. */
function want(filter: string): () => void {
  let release = () => {}
  const held = new Promise<void>((r) => (release = r))
  if (!channel) return queueMicrotask(counted), () => queueMicrotask(counted)
  void navigator.locks.request(`${name} ${filter}`, { mode: 'shared' }, () => (counted(), held)).then(counted)
  return release
}

/** Every filter that is wanted in this browser. */
async function wanted(): Promise<string[]> {
  if (!channel) return [...new Set([...following].map((f) => f.filter))]
  const { held = [] } = await navigator.locks.query()
  const names = held.flatMap((l) => (l.name?.startsWith(name + ' ') ? [l.name.slice(name.length + 1)] : []))
  return [...new Set(names)].sort()
}

/** What is wanted has changed. */
function counted(): void {
  if (stream) void stream.follow(wanted)
  else channel?.postMessage({ kind: 'hello' } satisfies Told)
}

let stream: Stream | undefined
let waiting: AbortController | undefined

/** Leads, or waits for its turn, while this tab follows and somebody sees it. */
function lead(): void {
  const should = following.size > 0 && !document.hidden
  if (should === (waiting !== undefined)) return
  waiting?.abort()
  waiting = undefined
  if (!should) return
  const mine = (waiting = new AbortController())
  const turn = () => new Promise<void>((done) => {
    if (mine.signal.aborted) return done()
    stream = new Stream(tell, () => last)
    void stream.follow(wanted)
    mine.signal.addEventListener('abort', () => {
      stream?.close()
      stream = undefined
      done()
    })
  })
  if (!channel) void turn()
  else navigator.locks.request(name, { signal: mine.signal }, turn).catch(() => {}) // it gave up waiting
}

/** Tells all tabs, this one too. */
function tell(m: Told): void {
  channel?.postMessage(m)
  hear(m)
}

function hear(m: Told): void {
  if (m.kind === 'hello') return stream && counted()
  if (following.size === 0) return
  if (m.kind === 'lost') return void (liveState.value = 'lost')
  // A leader that has seen less, or more, than this tab: something may be lacking.
  const missed = last !== '' && m.from !== last
  last = m.id
  for (const f of following) {
    const begins = !f.started && m.kind === 'start' && m.filters.includes(f.filter)
    f.started ||= begins
    if (m.kind === 'gap') f.on.gap()
    else if (begins || (f.started && missed)) f.on.start()
    if (m.kind === 'rows' && m.filter === f.filter) f.on.rows(parse(m.text))
  }
  if (m.kind === 'start' && [...following].every((f) => f.started)) liveState.value = 'live'
}

if (channel) channel.onmessage = (e) => hear(e.data)
document.addEventListener('visibilitychange', lead)
