import type { ApiError } from '../../api'
import { ErrorBox, Skeleton } from '../../components/states'
import { DecisionView } from './decisionview'
import { DiffView } from './diffview'
import type { Trial, Tried } from './floor'
import { Problems } from './problems'
import { ReplayReport } from './replay'
import type { Replays } from './replays'
import { type Decision, type Difference, type Problem, problemsFrom, shortVersion, type ValidationResult } from './types'

/** The result of one action in the policy editor: check, compare, replay or explain. */
export type Result = { kind: 'checked'; of: ValidationResult } | { kind: 'difference'; of: Difference } | { kind: 'replayed'; of: Replays; trial: Trial | null; earlier: Tried | null } | { kind: 'explained'; of: Decision }

interface ResultsProps {
  result: Result | null
  error: ApiError | undefined
  busy: boolean
  /** Whether the text has changed since the action. */
  outdated: boolean
  activeVersion: string
  onGo: (at: Problem) => void
  onRetry: () => void
}

export function Results(p: ResultsProps) {
  if (p.busy) return <Skeleton rows={2} />
  if (!p.result && !p.error) return null
  return (
    <div class="stack findings" ref={bringIntoView}>
      {p.outdated ? <p class="meta">The text has changed since this result.</p> : null}
      {p.error ? <FailedCheck error={p.error} onGo={p.onGo} onRetry={p.onRetry} /> : <ResultView {...p} of={p.result!} />}
    </div>
  )
}

/** Scrolls the results into view, because they may appear below the visible part of the page. */
function bringIntoView(el: HTMLElement | null): void {
  if (el) requestAnimationFrame(() => el.scrollIntoView({ block: 'nearest' }))
}

function FailedCheck({ error, onGo, onRetry }: { error: ApiError; onGo: (at: Problem) => void; onRetry: () => void }) {
  const problems = problemsFrom(error.details)
  return problems.length > 0 ? <Problems all={problems} onGo={onGo} /> : <ErrorBox error={error} onRetry={onRetry} />
}

function ResultView({ of: f, activeVersion, onGo }: ResultsProps & { of: Result }) {
  if (f.kind === 'difference') return <DiffView of={f.of} />
  if (f.kind === 'replayed') return <ReplayReport of={f.of} trial={f.trial} earlier={f.earlier} />
  if (f.kind === 'explained') return <DecisionView of={f.of} />
  if (f.of.problems.length > 0) return <Problems all={f.of.problems} onGo={onGo} />
  return <p>No problems found. {f.of.version === activeVersion ? 'This document routes requests in the same way as the active version.' : <>Publishing it creates version <span class="mono">{shortVersion(f.of.version)}</span>.</>}</p>
}
