// The policy editor: edit the draft, check it, compare it, replay traffic with
// it, and publish it.
import { useRef, useState } from 'preact/hooks'
import { callApi } from '../../api'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { CompareDialog } from './compare'
import { type Draft, isOutdated, startDraft } from './draft'
import { Editor, moveCursorTo } from './editor'
import { Explain } from './explain'
import { PublishDialog } from './publish'
import { type Result, Results } from './results'
import { type Decision, type Difference, type PolicyState, problemsFrom, type ReplayResult, type ValidationResult, type Version } from './types'
import type { Position, Work } from './work'

export function Workbench({ of: p, work }: { of: PolicyState; work: Work }) {
  const { draft, stored, setDraft, text, write, check } = work
  const [publishing, setPublishing] = useState<'publish' | 'rollout' | null>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const results = useResults(text)
  const problems = check.now?.problems ?? results.problems
  const discardDraft = () => {
    setDraft(null)
    results.clear()
    area.current?.focus()
  }
  const go = (at: Position) => {
    setPublishing(null)
    // Wait for a closing dialog, which restores the focus first.
    requestAnimationFrame(() => moveCursorTo(area.current, at))
  }
  work.onGo.current = go
  return (
    <section class="stack work" aria-labelledby="document">
      <h2 id="document">Document</h2>
      {draft ? <DraftNotice draft={draft} stored={stored} active={p.version} onRebase={() => setDraft(startDraft(p.version, draft.text))} onDiscard={discardDraft} /> : null}
      <Editor text={text} onText={p.read_only ? undefined : write} onCheck={results.check} problems={problems} area={area} />
      {p.read_only ? null : (
        <>
          <div class="line" role="group" aria-label="Draft actions">
            <button type="button" class="button" disabled={results.busy} onClick={results.check}>Check</button>
            <button type="button" class="button" disabled={results.busy} onClick={results.compare}>Compare with active version</button>
            <button type="button" class="button" disabled={results.busy} onClick={results.replay}>Replay last 7 days</button>
            {hasRole('owner') ? <button type="button" class="button" disabled={!draft || problems.length > 0} onClick={() => setPublishing('rollout')}>Roll out in steps…</button> : null}
            {hasRole('owner') ? <button type="button" class="button main" disabled={!draft || problems.length > 0} title={problems.length > 0 ? 'Fix the problems first.' : undefined} onClick={() => setPublishing('publish')}>Publish…</button> : null}
            <span class="meta" id="editor-keys">Tab inserts two spaces. To leave the editor, press Esc and then Tab. Ctrl+Enter checks the text.</span>
          </div>
          {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'publish a policy')}</p>}
        </>
      )}
      <Explain busy={results.busy} onAsk={results.explain} />
      <p class="sr" role="status">{results.busy ? 'Loading' : results.shown ? announceResult(results.shown) : ''}</p>
      <Results result={results.shown} error={results.error} busy={results.busy} outdated={results.outdated} activeVersion={p.version.version} onGo={go} onRetry={results.retry} />
      {publishing && draft ? <PublishDialog draft={draft} inSteps={publishing === 'rollout'} onClose={() => setPublishing(null)} onGo={go} onDone={() => { setPublishing(null); discardDraft() }} /> : null}
    </section>
  )
}

/** Says that the editor shows a draft, and warns if another version was published after the draft was started. */
function DraftNotice({ draft, stored, active, onRebase, onDiscard }: { draft: Draft; stored: boolean; active: Version; onRebase: () => void; onDiscard: () => void }) {
  const [comparing, setComparing] = useState(false)
  const outdated = isOutdated(draft, active)
  return (
    <div class={outdated ? 'about late' : 'about'} role="status">
      {outdated ? <span><b>Another version was published after you started this draft.</b> Your draft is unchanged. If you publish it, it replaces that version.</span> : <span>This is a draft. It is not active until you publish it. {stored ? 'It is saved in this tab and survives a reload.' : 'The browser could not save it: reloading the page discards it.'}</span>}
      <span class="line">
        {outdated ? <button type="button" class="button small" onClick={() => setComparing(true)}>View changes</button> : null}
        {outdated ? <button type="button" class="button small" onClick={onRebase}>Continue with my draft</button> : null}
        <button type="button" class="button small" onClick={onDiscard}>Discard draft</button>
      </span>
      {comparing ? <CompareDialog from={draft.baseVersion} onClose={() => setComparing(false)} /> : null}
    </div>
  )
}

/** Checks, compares, replays or explains the text. The last result stays until the next action. */
function useResults(text: string) {
  const mutation = useMutation()
  const [shown, setShown] = useState<Result | null>(null)
  const [last, setLast] = useState<{ text: string; ask: () => Promise<Result> } | null>(null)
  const run = (ask: () => Promise<Result>) => {
    setShown(null)
    setLast({ text, ask })
    void mutation.run(async () => setShown(await ask()))
  }
  const rejected = problemsFrom(mutation.error?.details)
  const problems = last?.text !== text ? [] : shown?.kind === 'checked' ? shown.of.problems : rejected
  return {
    shown, busy: mutation.busy, error: last ? mutation.error : undefined, problems,
    outdated: last !== null && last.text !== text,
    clear: () => {
      setShown(null)
      setLast(null)
    },
    retry: () => last && run(last.ask),
    check: () => run(async () => ({ kind: 'checked', of: await callApi<ValidationResult>('POST', '/policy/validate', { document: text }) })),
    compare: () => run(async () => ({ kind: 'difference', of: await callApi<Difference>('POST', '/policy/diff', { to_document: text }) })),
    explain: (question: object) => run(async () => ({ kind: 'explained', of: await callApi<Decision>('POST', '/policy/explain', { question, document: text }) })),
    replay: () => run(async () => ({ kind: 'replayed', of: await callApi<ReplayResult>('POST', '/policy/replay', { document: text }) })),
  }
}

function announceResult(f: Result): string {
  if (f.kind === 'difference') return 'Comparison complete.'
  if (f.kind === 'replayed') return 'Replay complete.'
  if (f.kind === 'explained') return 'Decision explained.'
  return f.of.problems.length === 0 ? 'No problems found.' : 'Problems found.'
}
