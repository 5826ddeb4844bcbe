import { useState } from 'preact/hooks'
import { TextField } from '../../components/fields'
import { useModelNames } from '../../models'
import { describeReading, type QuestionDraft, toQuestion } from './question'

/** Shows how the text in the editor would route a request, without sending a request. */
export function Explain({ busy, onAsk }: { busy: boolean; onAsk: (question: object) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="explain" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Show how a request would be routed</summary>
      {open ? <ExplainForm busy={busy} onAsk={onAsk} /> : null}
    </details>
  )
}

function ExplainForm({ busy, onAsk }: { busy: boolean; onAsk: (question: object) => void }) {
  const [q, setQ] = useState<QuestionDraft>({ model: 'auto', needs: '', tags: '', message: '' })
  const set = (name: keyof QuestionDraft) => (value: string) => setQ({ ...q, [name]: value })
  const names = useModelNames()
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); onAsk(toQuestion(q)) }}>
      <div class="pairs">
        <TextField label="Model or route" hint="The model that the client requests" value={q.model} list="policy-names" onChange={set('model')} />
        <TextField label="Required capabilities" hint="Separate with commas. Example: tools, vision, json_schema" value={q.needs} onChange={set('needs')} />
        <TextField label="Key tags" hint="Separate with commas" value={q.tags} onChange={set('tags')} />
        <TextField label="Message or request body" hint={describeReading(q.message)} value={q.message} onChange={set('message')} />
      </div>
      <datalist id="policy-names">{names.all.map((n) => <option key={n} value={n} />)}</datalist>
      <div><button type="submit" class="button" disabled={busy}>Explain</button></div>
    </form>
  )
}
