import { useState } from 'preact/hooks'
import { TextField } from '../../components/fields'
import { useNames } from '../../models'

/** Asks how a request would be decided by the text as it is, without sending one. */
export function Explain({ busy, onAsk }: { busy: boolean; onAsk: (question: object) => void }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="explain" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Explain a request</summary>
      {open ? <Ask busy={busy} onAsk={onAsk} /> : null}
    </details>
  )
}

function Ask({ busy, onAsk }: { busy: boolean; onAsk: (question: object) => void }) {
  const [q, setQ] = useState({ model: 'auto', needs: '', tags: '', says: '' })
  const set = (name: keyof typeof q) => (value: string) => setQ({ ...q, [name]: value })
  const names = useNames()
  const ask = () => onAsk({ model: q.model.trim(), needs: words(q.needs), excerpt: q.says, asker: { tags: words(q.tags) } })
  return (
    <form class="stack" onSubmit={(e) => { e.preventDefault(); ask() }}>
      <div class="pairs">
        <TextField label="Model or route" hint="As callers send it" value={q.model} list="policy-names" onChange={set('model')} />
        <TextField label="Needs" hint="With commas: tools, vision, json_schema" value={q.needs} onChange={set('needs')} />
        <TextField label="Tags of the key" hint="With commas" value={q.tags} onChange={set('tags')} />
        <TextField label="Message" hint="It is not kept" value={q.says} onChange={set('says')} />
      </div>
      <datalist id="policy-names">{names.all.map((n) => <option key={n} value={n} />)}</datalist>
      <div><button type="submit" class="button" disabled={busy}>Explain</button></div>
    </form>
  )
}

const words = (text: string): string[] => text.split(',').map((w) => w.trim()).filter(Boolean)
