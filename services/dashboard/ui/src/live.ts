// Follows new requests. The tabs of a browser share one connection, because a
// browser opens only a few connections per server. One tab is the leader: it
// reads the stream and broadcasts its events to the other tabs. Without the Web
// Locks API or BroadcastChannel, each tab has its own connection.
import { signal } from '@preact/signals'
import { parseJSON } from './api'
import { boot } from './boot'
import { RequestStream, type StreamMessage } from './stream'
import type { Request, RunningRequest } from './types'

export type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/** The state of this tab's live connection. */
export const liveState = signal<LiveState>('off')

export interface Follower {
  /** Called when delivery starts or resumes. Requests that arrived after the last load may be missing: load them. */
  start: () => void
  /** Called with new requests, oldest first. A request may be delivered twice. */
  rows: (rows: Request[]) => void
  /** Called if the server can no longer deliver the missed requests: load the list again. */
  gap: () => void
  /** Called with all requests in progress, every second while there are any. */
  running?: (rows: RunningRequest[]) => void
}

interface Subscription {
  filter: string
  on: Follower
  started: boolean
}

const channelName = `signalbox.live ${boot.version} ${boot.account?.id}`
const channel = 'locks' in navigator && 'BroadcastChannel' in window ? new BroadcastChannel(channelName) : null
const subscriptions = new Set<Subscription>()
/** The id of the last event that this tab received. */
let lastEventId = ''

/** Follows the requests that match a filter. Returns the function that stops it. */
export function followRequests(filter: string, on: Follower): () => void {
  const subscription = { filter, on, started: false }
  subscriptions.add(subscription)
  if (liveState.value === 'off') liveState.value = 'connecting'
  const release = holdFilterLock(filter)
  updateLeadership()
  return () => {
    subscriptions.delete(subscription)
    release()
    if (subscriptions.size === 0) {
      liveState.value = 'off'
      lastEventId = ''
    }
    updateLeadership()
  }
}

/** Holds a shared lock that is named after the filter. The leader lists these locks to find the filters that the tabs follow. Closing the tab releases the lock. */
function holdFilterLock(filter: string): () => void {
  let release = () => {}
  const held = new Promise<void>((r) => (release = r))
  if (!channel) return queueMicrotask(handleFiltersChanged), () => queueMicrotask(handleFiltersChanged)
  void navigator.locks.request(`${channelName} ${filter}`, { mode: 'shared' }, () => (handleFiltersChanged(), held)).then(handleFiltersChanged)
  return release
}

/** Returns the filters that the tabs of this browser follow. */
async function listFollowedFilters(): Promise<string[]> {
  if (!channel) return [...new Set([...subscriptions].map((f) => f.filter))]
  const { held = [] } = await navigator.locks.query()
  const names = held.flatMap((l) => (l.name?.startsWith(channelName + ' ') ? [l.name.slice(channelName.length + 1)] : []))
  return [...new Set(names)].sort()
}

/** Updates the stream, or notifies the leader, after a filter was added or removed. */
function handleFiltersChanged(): void {
  if (stream) void stream.follow(listFollowedFilters)
  else channel?.postMessage({ kind: 'filters-changed' } satisfies StreamMessage)
}

let stream: RequestStream | undefined
let leadership: AbortController | undefined

/** Makes this tab lead, or wait to lead, while it is visible and follows a filter. Otherwise it gives up the lead. */
function updateLeadership(): void {
  const shouldLead = subscriptions.size > 0 && !document.hidden
  if (shouldLead === (leadership !== undefined)) return
  leadership?.abort()
  leadership = undefined
  if (!shouldLead) return
  const ownLeadership = (leadership = new AbortController())
  const leadUntilAborted = () => new Promise<void>((done) => {
    if (ownLeadership.signal.aborted) return done()
    stream = new RequestStream(broadcast, () => lastEventId)
    void stream.follow(listFollowedFilters)
    ownLeadership.signal.addEventListener('abort', () => {
      stream?.close()
      stream = undefined
      done()
    })
  })
  if (!channel) void leadUntilAborted()
  else navigator.locks.request(channelName, { signal: ownLeadership.signal }, leadUntilAborted).catch(() => {}) // the wait was aborted
}

/** Sends a message to all tabs, including this tab. */
function broadcast(m: StreamMessage): void {
  channel?.postMessage(m)
  handleMessage(m)
}

function handleMessage(m: StreamMessage): void {
  if (m.kind === 'filters-changed') return stream && handleFiltersChanged()
  if (subscriptions.size === 0) return
  if (m.kind === 'lost') return void (liveState.value = 'lost')
  if (m.kind === 'running') {
    for (const f of subscriptions) if (m.filter === f.filter) f.on.running?.(parseJSON(m.text))
    return
  }
  // m.from is the event before this one. A tab that has not received that event may have missed requests.
  const missed = lastEventId !== '' && m.from !== lastEventId
  lastEventId = m.id
  for (const f of subscriptions) {
    const starts = !f.started && m.kind === 'start' && m.filters.includes(f.filter)
    f.started ||= starts
    if (m.kind === 'gap') f.on.gap()
    else if (starts || (f.started && missed)) f.on.start()
    if (m.kind === 'rows' && m.filter === f.filter) f.on.rows(parseJSON(m.text))
  }
  if (m.kind === 'start' && [...subscriptions].every((f) => f.started)) liveState.value = 'live'
}

if (channel) channel.onmessage = (e) => handleMessage(e.data)
document.addEventListener('visibilitychange', updateLeadership)
