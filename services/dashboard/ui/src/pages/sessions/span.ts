import { formatDuration } from '../../format'
import type { Session } from './types'

/** How long a session took. */
export const formatSpan = (s: Pick<Session, 'started' | 'ended'>): string => formatLong(Date.parse(s.ended) - Date.parse(s.started))

function formatLong(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 2) return formatDuration(ms * 1000)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
