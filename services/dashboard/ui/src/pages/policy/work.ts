// The text that the parts of the policy page work on: the draft, or the active document.
import { useRef } from 'preact/hooks'
import { type LiveCheck, useLiveCheck } from './check'
import type { Position } from './codeeditor'
import { type Draft, startDraft, useDraft } from './draft'
import type { Trial } from './floor'
import type { PolicyState, Rule } from './types'

type Replay = (text: string, trial?: Trial | null) => void

export interface Work {
  readOnly: boolean
  draft: Draft | null
  /** Whether the browser stored the draft. */
  stored: boolean
  setDraft: (draft: Draft | null) => void
  text: string
  /** The text of the active version. */
  document: string
  /** Changes the draft. A text that equals the active document discards it. */
  write: (text: string) => void
  /** Changes the draft to a text whose rules are known. */
  replace: (text: string, rules: Rule[]) => void
  check: LiveCheck
  /** Moves the cursor of the editor to a position. The editor sets it. */
  go: (to: Position) => void
  onGo: { current: (to: Position) => void }
  /** Replays requests with a text, which may try another quality. The editor's part of the page shows the result. */
  replay: Replay
  onReplay: { current: Replay }
}

export function useWork(p: PolicyState): Work {
  const [own, stored, setDraft] = useDraft()
  const draft = p.read_only ? null : own
  const text = draft?.text ?? p.version.document
  const check = useLiveCheck(draft ? text : null)
  const onGo = useRef<(to: Position) => void>(() => {})
  const onReplay = useRef<Replay>(() => {})
  const write = (now: string) => setDraft(now === p.version.document ? null : { ...(draft ?? startDraft(p.version, now)), text: now })
  return {
    readOnly: p.read_only, draft, stored, setDraft, text, document: p.version.document, write, check, onGo, onReplay,
    replace: (now, rules) => {
      write(now)
      check.showRules(rules)
    },
    go: (to) => onGo.current(to),
    replay: (now, trial) => onReplay.current(now, trial),
  }
}
