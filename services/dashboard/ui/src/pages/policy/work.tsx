// Where a text is written, looked at from every side, and published.
import { useRef, useState } from 'preact/hooks'
import { call } from '../../api'
import { useDoing } from '../../doing'
import { may, whyNot } from '../../role'
import { Compare } from './compare'
import { begun, overtaken, useDraft, type Draft } from './draft'
import { Editor, goTo } from './editor'
import { Explain } from './explain'
import { Findings, type Finding } from './findings'
import { Publish } from './publish'
import { problemsOf, type Checked, type Decision, type Difference, type PolicyState, type Problem, type Replayed, type Version } from './shapes'

export function Work({ of: p }: { of: PolicyState }) {
  const [draft, kept, setDraft] = useDraft()
  const [publishing, setPublishing] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const text = p.read_only ? p.version.document : (draft?.text ?? p.version.document)
  const found = useFindings(text)
  const write = (now: string) => setDraft(now === p.version.document ? null : { ...(draft ?? begun(p.version, now)), text: now })
  const drop = () => {
    setDraft(null)
    found.forget()
    area.current?.focus()
  }
  const go = (at: Problem) => {
    setPublishing(false)
    // A dialog that closes gives the focus back first.
    requestAnimationFrame(() => goTo(area.current, at))
  }
  return (
    <section class="stack work" aria-labelledby="document">
      <h2 id="document">Document</h2>
      {draft && !p.read_only ? <About draft={draft} kept={kept} now={p.version} onOver={() => setDraft(begun(p.version, draft.text))} onDrop={drop} /> : null}
      <Editor text={text} onText={p.read_only ? undefined : write} onCheck={found.check} problems={found.problems} area={area} />
      {p.read_only ? null : (
        <>
          <div class="line" role="group" aria-label="What to do with the text">
            <button type="button" class="button" disabled={found.busy} onClick={found.check}>Check</button>
            <button type="button" class="button" disabled={found.busy} onClick={found.compare}>Difference</button>
            <button type="button" class="button" disabled={found.busy} onClick={found.replay}>Replay the last 7 days</button>
            {may('owner') ? <button type="button" class="button main" disabled={!draft} onClick={() => setPublishing(true)}>Publish…</button> : null}
            <span class="meta" id="editor-keys">Tab writes two spaces; Esc and then Tab leaves the text. Ctrl+Enter checks it.</span>
          </div>
          {may('owner') ? null : <p class="soft">{whyNot('owner', 'publish a policy')}</p>}
        </>
      )}
      <Explain busy={found.busy} onAsk={found.explain} />
      <p class="sr" role="status">{found.busy ? 'One moment' : found.shown ? sentence(found.shown) : ''}</p>
      <Findings found={found.shown} error={found.error} busy={found.busy} old={found.old} inForce={p.version.version} onGo={go} onAgain={found.again} />
      {publishing && draft ? <Publish draft={draft} onClose={() => setPublishing(false)} onGo={go} onDone={() => { setPublishing(false); drop() }} /> : null}
    </section>
  )
}

/** A text that is not in force is never mistaken for the one that is. */
function About({ draft, kept, now, onOver, onDrop }: { draft: Draft; kept: boolean; now: Version; onOver: () => void; onDrop: () => void }) {
  const [comparing, setComparing] = useState(false)
  const late = overtaken(draft, now)
  return (
    <div class={late ? 'about late' : 'about'} role="status">
      {late ? <span><b>Another version was put in force since you began.</b> Your text is as you left it.</span> : <span>This is a draft, not what is in force. {kept ? 'It is kept in this tab, and survives a reload.' : 'It is too large to be kept: a reload loses it.'}</span>}
      <span class="line">
        {late ? <button type="button" class="button small" onClick={() => setComparing(true)}>See what has changed</button> : null}
        {late ? <button type="button" class="button small" onClick={onOver}>Go on over it</button> : null}
        <button type="button" class="button small" onClick={onDrop}>Drop the draft</button>
      </span>
      {comparing ? <Compare from={draft.over} onClose={() => setComparing(false)} /> : null}
    </div>
  )
}

/** Asks about the text; the last answer stays until the next. */
function useFindings(text: string) {
  const doing = useDoing()
  const [shown, setShown] = useState<Finding | null>(null)
  const [last, setLast] = useState<{ text: string; ask: () => Promise<Finding> } | null>(null)
  const run = (ask: () => Promise<Finding>) => {
    setShown(null)
    setLast({ text, ask })
    void doing.run(async () => setShown(await ask()))
  }
  const refused = problemsOf(doing.error?.details)
  const problems = last?.text !== text ? [] : shown?.kind === 'checked' ? shown.of.problems : refused
  return {
    shown, busy: doing.busy, error: last ? doing.error : undefined, problems,
    old: last !== null && last.text !== text,
    forget: () => {
      setShown(null)
      setLast(null)
    },
    again: () => last && run(last.ask),
    check: () => run(async () => ({ kind: 'checked', of: await call<Checked>('POST', '/policy/validate', { document: text }) })),
    compare: () => run(async () => ({ kind: 'difference', of: await call<Difference>('POST', '/policy/diff', { to_document: text }) })),
    explain: (question: object) => run(async () => ({ kind: 'explained', of: await call<Decision>('POST', '/policy/explain', { question, document: text }) })),
    replay: () => run(async () => ({ kind: 'replayed', of: await call<Replayed>('POST', '/policy/replay', { document: text }) })),
  }
}

function sentence(f: Finding): string {
  if (f.kind === 'difference') return 'The difference is shown.'
  if (f.kind === 'replayed') return 'The replay is done.'
  if (f.kind === 'explained') return 'The decision is shown.'
  return f.of.problems.length === 0 ? 'No problem was found.' : 'Problems were found.'
}
