// An unpublished policy text. It is stored in the tab's session storage until it
// is published, so that a reload or a visit to another page does not lose it.
import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import type { Version } from './types'

export interface Draft {
  text: string
  /** The version from which the draft was started. */
  baseVersion: string
  /** When that version became active. */
  baseActivatedAt: string | null
}

const storageKey = 'signalbox.policy.draft'

/** Reads the stored draft. A draft that another user wrote in this tab is ignored. */
function readDraft(): Draft | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return stored?.email === boot.user.email && typeof stored.text === 'string' ? stored : null
  } catch {
    return null
  }
}

/** Stores the draft, or removes it if it is null. Returns false if the browser cannot store it, for example because it is too large. */
function storeDraft(draft: Draft | null): boolean {
  try {
    if (draft) sessionStorage.setItem(storageKey, JSON.stringify({ ...draft, email: boot.user.email }))
    else sessionStorage.removeItem(storageKey)
    return true
  } catch {
    return false
  }
}

/** Returns the draft, whether the browser stored it, and a function that replaces it. Calling the function with null discards the draft. */
export function useDraft(): [Draft | null, boolean, (draft: Draft | null) => void] {
  const [now, setNow] = useState(() => ({ draft: readDraft(), stored: true }))
  return [now.draft, now.stored, (draft) => setNow({ draft, stored: storeDraft(draft) })]
}

/** Creates a draft that is based on a version. */
export const startDraft = (v: Version, text: string): Draft => ({ text, baseVersion: v.version, baseActivatedAt: v.activated_at })

/** Changes the draft, or a new draft that is based on a version. Returns false if there is no such change or the browser cannot store it. */
export async function changeDraft(v: Version & { document: string }, change: (text: string) => string | null | Promise<string | null>): Promise<boolean> {
  const draft = readDraft() ?? startDraft(v, v.document)
  const text = await change(draft.text)
  return text !== null && storeDraft({ ...draft, text })
}

/** Whether another version became active after the draft was started. */
export const isOutdated = (d: Draft, v: Version): boolean => d.baseVersion !== v.version || d.baseActivatedAt !== v.activated_at
