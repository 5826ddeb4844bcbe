// The policy editor: edit the draft, check it, compare it, replay traffic with
// it, and publish it.
import { useRef, useState } from 'preact/hooks'
import { callApi, useApi } from '../../api'
import { pluralize } from '../../format'
import { useModelNames } from '../../models'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { params } from '../../router'
import { findAdded } from './added'
import { AddedNotice } from './addednotice'
import type { LiveCheck } from './check'
import type { Position } from './codeeditor'
import { CompareDialog } from './compare'
import type { Words } from './complete'
import { type Draft, isOutdated, startDraft } from './draft'
import { DraftBar } from './draftbar'
import { Editor, type EditorHandle } from './editor'
import { Explain } from './explain'
import { comparable, type Trial, type Tried } from './floor'
import { PublishDialog } from './publish'
import { replayRequests } from './replays'
import { type Result, Results } from './results'
import { type Decision, type Difference, type PolicyState, type Problem, problemsFrom, type ValidationResult, type Version } from './types'
import type { Work } from './work'

export function Workbench({ of: p, work }: { of: PolicyState; work: Work }) {
  const { draft, stored, setDraft, text, write, check } = work
  const [publishing, setPublishing] = useState<'publish' | 'rollout' | null>(null)
  const editor = useRef<EditorHandle>(null)
  const words = useApi<Words>(p.read_only ? null : '/policy/words').data
  const modelNames = useModelNames().all
  const added = draft ? findAdded(text, params.value.get('added')) : null
  const results = useResults(text, p.version.document)
  // Between two checks, the marks of the last one stay. The editor moves them with the text.
  const problems = check.last?.problems ?? results.problems
  const discardDraft = () => {
    setDraft(null)
    results.clear()
    editor.current?.focus()
  }
  const go = (at: Position) => {
    if (!publishing) return editor.current?.go(at)
    setPublishing(null)
    // Wait for the closing dialog, which restores the focus first.
    requestAnimationFrame(() => editor.current?.go(at))
  }
  work.onGo.current = go
  work.onReplay.current = results.replay
  return (
    <section class="stack work" aria-labelledby="document">
      <h2 id="document">Document</h2>
      {p.read_only ? null : !draft ? <div class="about"><span>This is the active version. Edit it to start a draft.</span></div> : <DraftNotice draft={draft} stored={stored} active={p.version} onRebase={() => setDraft(startDraft(p.version, draft.text))} onDiscard={discardDraft} />}
      {added ? <AddedNotice of={added} silent={params.value.get('silent') !== null} check={check} text={text} onText={write} /> : null}
      <Editor text={text} onText={p.read_only ? undefined : write} onCheck={results.check} problems={problems} words={words} modelNames={modelNames} start={added ? { line: added.line, column: 1 } : undefined} handle={editor} />
      {p.read_only ? null : (
        <>
          <div class="line" role="group" aria-label="Draft actions">
            <button type="button" class="button" disabled={results.busy} onClick={results.check}>Check</button>
            <button type="button" class="button" disabled={results.busy} onClick={results.compare}>Compare with active version</button>
            <button type="button" class="button" disabled={results.busy} onClick={() => results.replay(text)}>Replay last 7 days</button>
            {hasRole('owner') ? <button type="button" class="button" disabled={!draft || problems.length > 0} onClick={() => setPublishing('rollout')}>Roll out in steps…</button> : null}
            {hasRole('owner') ? <button type="button" class="button main" disabled={!draft || problems.length > 0} title={problems.length > 0 ? 'Fix the problems first.' : undefined} onClick={() => setPublishing('publish')}>Publish…</button> : null}
            <CheckState of={check} draft={draft !== null} />
            <span class="meta" id="editor-keys">Ctrl+Space proposes words. F8 goes to the next problem. Tab indents; to leave the editor, press Esc and then Tab. Ctrl+Enter checks the text.</span>
          </div>
          {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'publish a policy')}</p>}
        </>
      )}
      <Explain busy={results.busy} onAsk={results.explain} />
      <p class="sr" role="status">{results.busy ? 'Loading' : results.shown ? announceResult(results.shown) : ''}</p>
      <Results result={results.shown} error={results.error} busy={results.busy} outdated={results.outdated} activeVersion={p.version.version} onGo={go} onRetry={results.retry} />
      {draft && results.shown?.kind === 'replayed' ? <DraftBar canPublish={problems.length === 0} onPublish={() => setPublishing('publish')} onDiscard={discardDraft} /> : null}
      {publishing && draft ? <PublishDialog draft={draft} inSteps={publishing === 'rollout'} onClose={() => setPublishing(null)} onGo={go} onDone={() => { setPublishing(null); discardDraft() }} /> : null}
    </section>
  )
}

/** What the check while typing found. The last result stays until the next one, so that screen readers announce only changes. */
function CheckState({ of: check, draft }: { of: LiveCheck; draft: boolean }) {
  const problems = check.last?.problems ?? []
  const text = !draft ? '' : !check.last ? 'Checking…' : problems.length === 0 ? 'No problems' : `${pluralize(problems.length, 'problem')}, the first in line ${problems[0]!.line}${problems.some((p) => p.code === 'SYNTAX') ? '. The rules above are those of the last valid text' : ''}`
  return <span class={problems.length > 0 ? 'lost' : 'soft'} role="status">{text}</span>
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

const noProblems: Problem[] = []

/** Checks, compares, replays or explains the text. The last result stays until the next action. */
function useResults(text: string, active: string) {
  const mutation = useMutation()
  const [shown, setShown] = useState<Result | null>(null)
  const [last, setLast] = useState<{ text: string; ask: () => Promise<Result> } | null>(null)
  const tried = useRef<Tried | null>(null)
  const run = (ask: () => Promise<Result>, of = text) => {
    setShown(null)
    setLast({ text: of, ask })
    void mutation.run(async () => setShown(await ask()))
  }
  const rejected = problemsFrom(mutation.error?.details)
  const problems = last?.text !== text ? noProblems : shown?.kind === 'checked' ? shown.of.problems : rejected
  return {
    shown, busy: mutation.busy, error: last ? mutation.error : undefined, problems,
    outdated: last !== null && last.text !== text,
    clear: () => {
      setShown(null)
      setLast(null)
    },
    retry: () => last && run(last.ask, last.text),
    check: () => run(async () => ({ kind: 'checked', of: await callApi<ValidationResult>('POST', '/policy/validate', { document: text }) })),
    compare: () => run(async () => ({ kind: 'difference', of: await callApi<Difference>('POST', '/policy/diff', { to_document: text }) })),
    explain: (question: object) => run(async () => ({ kind: 'explained', of: await callApi<Decision>('POST', '/policy/explain', { question, document: text }) })),
    replay: (of: string, trial: Trial | null = null) => run(async () => {
      const replays = await replayRequests(of, of !== active)
      const earlier = comparable(tried.current, trial)
      if (trial) tried.current = { trial, replay: replays.text }
      return { kind: 'replayed', trial, earlier, of: replays }
    }, of),
  }
}

function announceResult(f: Result): string {
  if (f.kind === 'difference') return 'Comparison complete.'
  if (f.kind === 'replayed') return 'Replay complete.'
  if (f.kind === 'explained') return 'Decision explained.'
  return f.of.problems.length === 0 ? 'No problems found.' : 'Problems found.'
}
