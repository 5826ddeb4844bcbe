import type { ApiError } from '../../api'
import { ErrorBox, Skeleton } from '../../components/states'
import { Decided } from './decided'
import { Differences } from './difference'
import { Problems } from './problems'
import { Replay } from './replay'
import { problemsOf, short, type Checked, type Decision, type Difference, type Problem, type Replayed } from './shapes'

/** What was asked about a text, and answered. */
export type Finding = { kind: 'checked'; of: Checked } | { kind: 'difference'; of: Difference } | { kind: 'replayed'; of: Replayed } | { kind: 'explained'; of: Decision }

interface Asked {
  found: Finding | null
  error: ApiError | undefined
  busy: boolean
  /** The text is another by now. */
  old: boolean
  inForce: string
  onGo: (at: Problem) => void
  onAgain: () => void
}

export function Findings(p: Asked) {
  if (p.busy) return <Skeleton rows={2} />
  if (!p.found && !p.error) return null
  return (
    <div class="stack findings" ref={inSight}>
      {p.old ? <p class="meta">The text has changed since this was asked.</p> : null}
      {p.error ? <Refused error={p.error} onGo={p.onGo} onAgain={p.onAgain} /> : <Found {...p} of={p.found!} />}
    </div>
  )
}

/** It may be below the edge of the window when it comes. */
function inSight(el: HTMLElement | null): void {
  if (el) requestAnimationFrame(() => el.scrollIntoView({ block: 'nearest' }))
}

function Refused({ error, onGo, onAgain }: { error: ApiError; onGo: (at: Problem) => void; onAgain: () => void }) {
  const problems = problemsOf(error.details)
  return problems.length > 0 ? <Problems all={problems} onGo={onGo} /> : <ErrorBox error={error} again={onAgain} />
}

function Found({ of: f, inForce, onGo }: Asked & { of: Finding }) {
  if (f.kind === 'difference') return <Differences of={f.of} />
  if (f.kind === 'replayed') return <Replay of={f.of} />
  if (f.kind === 'explained') return <Decided of={f.of} />
  if (f.of.problems.length > 0) return <Problems all={f.of.problems} onGo={onGo} />
  return <p>No problem. {f.of.version === inForce ? 'It decides the same as what is in force.' : <>It would be version <span class="mono">{short(f.of.version)}</span>.</>}</p>
}
