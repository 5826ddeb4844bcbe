// A request's way as a track: straight, around a bar, through a gate, or to a
// buffer stop. It is legible without colour.
import type { Request } from '../types'

export type Way = 'expected' | 'fallback' | 'policy' | 'error'

const tracks: Record<Way, preact.JSX.Element> = {
  expected: <><path d="M1 6h20" /><circle class="dot" cx="24.5" cy="6" r="3" /></>,
  fallback: <><path d="M1 3h9M11 .8v4.4M3 3c5 0 6 6 12 6h6" /><circle class="dot" cx="24.5" cy="9" r="3" /></>,
  policy: <><path d="M1 6h20M10 1v3M10 8v3M13 1v3M13 8v3" /><circle class="dot" cx="24.5" cy="6" r="3" /></>,
  error: <><path d="M1 6h17M21 2.5l6 7M27 2.5l-6 7" /></>,
}

export function TrackGlyph({ way }: { way: Way }) {
  return <svg class="glyph" viewBox="0 0 28 12" aria-hidden="true">{tracks[way]}</svg>
}

/** How a request went; one that nobody served is an error. */
export function wayOf(r: Pick<Request, 'route' | 'outcome'>): Way {
  return r.outcome === 'ok' || r.outcome === 'client_closed' ? (r.route ?? 'error') : 'error'
}

const names: Record<Way, string> = { expected: 'Expected', fallback: 'Fallback', policy: 'Policy', error: 'Error' }

/** The way in a glyph and a word, with what more there is to say. */
export function RouteChip({ way, more }: { way: Way; more?: string | null | undefined }) {
  return (
    <span class={`chip ${way}`}>
      <TrackGlyph way={way} />
      {names[way]}
      {more ? ` · ${more}` : ''}
    </span>
  )
}
