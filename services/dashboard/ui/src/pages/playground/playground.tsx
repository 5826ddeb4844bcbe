// The page Playground: one request, sent to up to four models side by side.
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../api'
import { boot } from '../../boot'
import { CopyButton, copyToClipboard } from '../../components/basics'
import { Tabs } from '../../components/controls'
import { EmptyState, ErrorBox } from '../../components/states'
import { escapeInvisible, formatDay } from '../../format'
import { useModelNames } from '../../models'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { params, setParams } from '../../router'
import type { RequestDetail } from '../../types'
import { buildCode } from './code'
import { Column } from './column'
import { bodyFor, draft, parseDraft } from './draft'
import { Editor } from './editor'
import { Estimates, useEstimates } from './estimate'
import { maxModels, selectedModels, selectModels } from './models'
import { type RunHandle, startRun } from './run'
import { keepDraftOf, type SharedRun, type Source, useSource } from './source'

export function Playground() {
  if (!hasRole('member')) return <EmptyState title="You cannot use the playground"><p>{explainMissingRole('member', 'send requests from the playground')}</p></EmptyState>
  return <Workbench />
}

function Workbench() {
  const source = useSource()
  const models = selectedModels()
  const d = draft.value
  const parsed = parseDraft(d)
  const [runs, setRuns] = useState<{ model: string; handle: RunHandle }[]>([])
  const estimates = useEstimates(models, d.endpoint === 'chat' && parsed.body ? parsed.body : null)
  const stop = () => runs.forEach((r) => r.handle.stop())
  const send = () => {
    if (!parsed.body) return
    stop()
    setRuns(models.map((model) => ({ model, handle: startRun(d.endpoint, parsed.body, model) })))
  }
  // Leaving the page cancels the requests that still run.
  useEffect(() => stop, [runs])
  const running = runs.some((r) => r.handle.run.value.state === 'running')
  return (
    <div class="stack playground">
      <p class="soft">Send a request to several models and compare. Runs are real requests: they cost money, count against the account’s limits and appear in Requests.</p>
      <SourceNote of={source} />
      <Editor problem={parsed.problem} onRun={send} />
      <Models selected={models} />
      <Estimates of={estimates} />
      <div class="line">
        <button type="button" class="button main" disabled={!parsed.body} onClick={send}>Run</button>
        {running ? <button type="button" class="button" onClick={stop}>Stop</button> : null}
        <span class="meta">{parsed.problem && !d.whole ? parsed.problem : 'Ctrl+Enter runs the request.'}</span>
        {parsed.body ? <Share models={models} body={parsed.body} /> : null}
      </div>
      <span class="sr" role="status">{runs.length === 0 ? '' : running ? 'Running' : 'All runs have ended'}</span>
      {runs.length > 0 ? <div class="runs">{runs.map((r, i) => <Column key={`${i} ${r.model}`} model={r.model} run={r.handle.run} />)}</div> : null}
      {parsed.body ? <Code body={bodyFor(parsed.body, models[0]!)} /> : null}
    </div>
  )
}

function SourceNote({ of }: { of: Source }) {
  if (of.error) return <ErrorBox error={of.error} />
  if (of.problem) return <p class="notice" role="status">{of.problem} <a href={'/requests/' + of.request!.id}>View request</a></p>
  if (of.request) return <FromRequest r={of.request} />
  if (of.share) return <p class="meta">Shared by <bdi>{escapeInvisible(of.share.author)}</bdi> on {formatDay(of.share.created)}. The link works until {formatDay(of.share.expires_at)}.</p>
  return null
}

function FromRequest({ r }: { r: RequestDetail }) {
  const others = [...new Set([r.requested_model, 'auto', r.model ?? 'auto', r.baseline.model ?? 'auto'])].filter((m) => !selectedModels().includes(m))
  return (
    <p class="meta line">
      <span>From <a href={'/requests/' + r.id}>this request</a>, served by {r.model ? <bdi>{escapeInvisible(r.model)}</bdi> : 'no model'}.</span>
      {others.length > 0 ? <span>Run again with</span> : null}
      {others.map((m) => <button key={m} type="button" class="button small" onClick={() => selectModels([...selectedModels(), m])}>{escapeInvisible(m)}</button>)}
    </p>
  )
}

function Models({ selected }: { selected: string[] }) {
  const known = useModelNames()
  const names = [...new Set(['auto', ...known.all])]
  const [added, setAdded] = useState(false)
  const rows = added && selected.length < maxModels ? [...selected, ''] : selected
  const change = (i: number, value: string) => {
    setAdded(false)
    selectModels(rows.map((m, at) => (at === i ? value.trim() : m)))
  }
  return (
    <fieldset class="modelrow">
      <legend>Models</legend>
      <datalist id="playground-models">{names.map((n) => <option key={n} value={n} />)}</datalist>
      {rows.map((m, i) => (
        <span class="modelpick" key={i + m}>
          <input type="text" list="playground-models" aria-label={`Model ${i + 1}`} placeholder="Model" defaultValue={m} autocomplete="off" onChange={(e) => change(i, e.currentTarget.value)} />
          {rows.length > 1 ? <button type="button" class="button small" aria-label={`Remove model ${i + 1}`} title="Remove" onClick={() => change(i, '')}>✕</button> : null}
        </span>
      ))}
      {rows.length < maxModels ? <button type="button" class="button small" onClick={() => setAdded(true)}>Add model</button> : null}
    </fieldset>
  )
}

function Share({ models, body }: { models: string[]; body: Record<string, unknown> }) {
  const change = useMutation()
  const share = () => void change.run(async () => {
    const made = await callApi<SharedRun>('POST', '/playground/shares', { endpoint: draft.value.endpoint, models, body })
    keepDraftOf(made.id)
    setParams({ share: made.id, request: null }, 'replace')
    await copyToClipboard(`${location.origin}/playground?share=${made.id}`, 'Link', 'Members of this account can open it for 90 days.')
  })
  return (
    <>
      <button type="button" class="button" disabled={change.busy} title="Store the request, and copy a link that members of this account can open" onClick={share}>Share</button>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </>
  )
}

function Code({ body }: { body: Record<string, unknown> }) {
  const all = buildCode(boot.base_url, draft.value.endpoint, body)
  const language = params.value.get('code')
  const selected = all.find((c) => c.id === language) ?? all[0]!
  return (
    <details open={language !== null}>
      <summary>Code</summary>
      <Tabs tabs={all} selected={selected.id} label="Languages" onSelect={(id) => setParams({ code: id }, 'replace')}>
        <div class="call">
          <pre class="snippet" tabIndex={0}>{escapeInvisible(selected.text)}</pre>
          <CopyButton key={selected.id} text={selected.text} what="Code">Copy</CopyButton>
        </div>
      </Tabs>
    </details>
  )
}
