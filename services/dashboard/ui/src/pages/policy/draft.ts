// A text that is not published yet. It is kept in this tab until it is, so that
// a reload or a look at another page loses nothing.
import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import type { Version } from './shapes'

export interface Draft {
  text: string
  /** The version that it was begun from, and since when that was in force. */
  over: string
  since: string | null
}

const key = 'signalbox.policy.draft'

/** Somebody else who signs in here has drafts of their own. */
function read(): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    return kept?.who === boot.user.email && typeof kept.text === 'string' ? kept : null
  } catch {
    return null
  }
}

function write(draft: Draft | null): boolean {
  try {
    if (draft) sessionStorage.setItem(key, JSON.stringify({ ...draft, who: boot.user.email }))
    else sessionStorage.removeItem(key)
    return true
  } catch {
    return false
  }
}

/** The draft, whether it could be kept, and what changes it; null drops it. */
export function useDraft(): [Draft | null, boolean, (draft: Draft | null) => void] {
  const [now, setNow] = useState(() => ({ draft: read(), kept: true }))
  return [now.draft, now.kept, (draft) => setNow({ draft, kept: write(draft) })]
}

/** What a draft of a version begins as. */
export const begun = (v: Version, text: string): Draft => ({ text, over: v.version, since: v.activated_at })

/** Whether something else is in force than when it was begun. */
export const overtaken = (d: Draft, v: Version): boolean => d.over !== v.version || d.since !== v.activated_at
