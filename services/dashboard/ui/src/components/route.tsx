// Draws how a request was served as a railway track: straight, around a bar,
// through a gate, or up to a buffer stop. The shapes differ, so that the drawing
// can be read without color.
import type { Request } from '../types'

export type RouteKind = 'expected' | 'fallback' | 'policy' | 'error' | 'closed' | 'running'

const tracks: Record<RouteKind, preact.JSX.Element> = {
  expected: <><path d="M1 6h20" /><circle class="dot" cx="24.5" cy="6" r="3" /></>,
  fallback: <><path d="M1 3h9M11 .8v4.4M3 3c5 0 6 6 12 6h6" /><circle class="dot" cx="24.5" cy="9" r="3" /></>,
  policy: <><path d="M1 6h20M10 1v3M10 8v3M13 1v3M13 8v3" /><circle class="dot" cx="24.5" cy="6" r="3" /></>,
  error: <><path d="M1 6h17M21 2.5l6 7M27 2.5l-6 7" /></>,
  closed: <><path d="M1 6h15M19 2v8" /></>,
  running: <><path d="M1 6h8M13 6h3M20 6h3" /></>,
}

export function TrackGlyph({ kind }: { kind: RouteKind }) {
  return <svg class="glyph" viewBox="0 0 28 12" aria-hidden="true">{tracks[kind]}</svg>
}

/** Returns how a request was served. A request that was not served completely is an error, unless the client disconnected. */
export function routeKind(r: Pick<Request, 'route' | 'outcome'>): RouteKind {
  if (r.outcome === 'client_closed') return 'closed'
  if (r.outcome === 'running') return 'running'
  return r.outcome === 'ok' ? (r.route ?? 'error') : 'error'
}

const names: Record<RouteKind, string> = { expected: 'Expected', fallback: 'Fallback', policy: 'Policy', error: 'Error', closed: 'Disconnected', running: 'In progress' }

/** What each name means, as tooltips. */
export const routeMeanings: Record<RouteKind, string> = {
  expected: 'Served by the first choice',
  fallback: 'Served by a fallback because the first choice failed or was unavailable, or routed by the proxy because the router made no decision',
  policy: 'A policy rule with conditions chose the model, or a requirement of the policy or the key’s list of models excluded the model that would otherwise be the first choice',
  error: 'Rejected, failed, or ended before the response was complete',
  closed: 'The client closed the connection before the response was complete. This is not an error of the gateway or a provider',
  running: 'The request is in progress. The row changes when it ends',
}

/** How a request was served, as a glyph and a name, followed by an optional detail. */
export function RouteChip({ kind, detail }: { kind: RouteKind; detail?: string | null | undefined }) {
  const text = detail ? `${names[kind]} · ${detail}` : names[kind]
  return (
    <span class={`chip ${kind}`} title={detail ? `${text}. ${routeMeanings[kind]}` : routeMeanings[kind]}>
      <TrackGlyph kind={kind} />
      <span class="label">{text}</span>
    </span>
  )
}
