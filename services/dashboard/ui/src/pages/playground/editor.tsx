// The request: a prompt with an optional system message and image, or the whole body.
import { useState } from 'preact/hooks'
import { Field } from '../../components/controls'
import { SelectField } from '../../components/fields'
import { formatBytes } from '../../format'
import { changeDraft, type Draft, draft, editWhole, type Endpoint } from './draft'

const endpoints = [['chat', 'Chat completions'], ['messages', 'Anthropic messages'], ['responses', 'OpenAI responses']] as const

export function Editor({ problem, onRun }: { problem: string | undefined; onRun: () => void }) {
  const d = draft.value
  const runOnEnter = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return
    e.preventDefault()
    onRun()
  }
  return (
    <section class="stack" aria-label="Request" onKeyDown={runOnEnter}>
      <fieldset class="line kinds">
        <legend class="sr">What to write</legend>
        <label class="check"><input type="radio" name="kind" checked={!d.whole} onChange={() => editWhole(false)} /> Prompt only</label>
        <label class="check"><input type="radio" name="kind" checked={d.whole} onChange={() => editWhole(true)} /> Whole body (tools, images, JSON schema)</label>
      </fieldset>
      {d.whole ? <WholeBody d={d} problem={d.body ? problem : undefined} /> : <Prompt d={d} />}
    </section>
  )
}

function Prompt({ d }: { d: Draft }) {
  return (
    <>
      <Field label="Prompt">{(c) => <textarea {...c} rows={5} value={d.prompt} onInput={(e) => changeDraft({ prompt: e.currentTarget.value })} />}</Field>
      <details open={d.system !== '' || d.image !== ''}>
        <summary>System message and image</summary>
        <div class="stack">
          <Field label="System message">{(c) => <textarea {...c} rows={2} value={d.system} onInput={(e) => changeDraft({ system: e.currentTarget.value })} />}</Field>
          <Image image={d.image} />
        </div>
      </details>
    </>
  )
}

/** Larger images may exceed the size limit of a run when they are encoded. */
const maxImageBytes = 8 << 20

function Image({ image }: { image: string }) {
  const [problem, setProblem] = useState('')
  const read = (file: File | undefined) => {
    setProblem('')
    if (!file) return
    if (file.size > maxImageBytes) return setProblem(`The image has ${formatBytes(file.size)}. Choose one of at most ${formatBytes(maxImageBytes)}.`)
    const reader = new FileReader()
    reader.onload = () => changeDraft({ image: String(reader.result) })
    reader.onerror = () => setProblem('The image cannot be read.')
    reader.readAsDataURL(file)
  }
  if (image) return <div class="line"><span>Image attached ({formatBytes(Math.round(image.length * 0.75))})</span><button type="button" class="button small" onClick={() => changeDraft({ image: '' })}>Remove image</button></div>
  return <Field label="Image" error={problem || undefined}>{(c) => <input {...c} type="file" accept="image/png,image/jpeg,image/webp,image/gif" onChange={(e) => read(e.currentTarget.files?.[0])} />}</Field>
}

function WholeBody({ d, problem }: { d: Draft; problem: string | undefined }) {
  return (
    <>
      <SelectField<Endpoint> label="Endpoint" value={d.endpoint} options={endpoints} onChange={(endpoint) => changeDraft({ endpoint })} />
      <Field label="Body" hint="JSON. Each column sets its own model. The response is streamed unless the body says otherwise." error={problem}>
        {(c) => <textarea {...c} class="mono" rows={14} spellcheck={false} value={d.body} onInput={(e) => changeDraft({ body: e.currentTarget.value })} />}
      </Field>
    </>
  )
}
