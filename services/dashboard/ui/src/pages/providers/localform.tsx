// The form that adds a model of a local server to the draft, whether the server responds or not.
import { useId, useState } from 'preact/hooks'
import { callApi } from '../../api'
import { CopyButton } from '../../components/basics'
import { Form, SelectField, TextField } from '../../components/fields'
import { useMutation } from '../../mutation'
import type { ValidationResult } from '../policy/types'
import { localLines, type LocalServer } from './adding'
import { addToDraft } from './addtodraft'
import { firstLocalModel, insertLocalModel, isSilent, localServers, usualAddress, writtenAddress } from './localmodel'

/** found is null if the installation cannot look for servers. */
export function LocalForm({ found: known }: { found: LocalServer[] | null }) {
  const found = known ?? []
  const [m, setModel] = useState(() => firstLocalModel(found))
  const change = useMutation()
  const list = useId()
  const send = () => {
    const wanted = { ...m, model: m.model.trim() }
    if (!wanted.model) return change.rejectField('model', 'Enter the name that the server uses for the model, such as llama3.2.')
    void change.run(() => addToDraft(m.provider, async (text) => insertLocalModel(text, (await callApi<ValidationResult>('POST', '/policy/validate', { document: text })).rules, wanted), isSilent(known, m)))
  }
  return (
    <Form onSubmit={send} error={change.error} fieldParams={['model']}>
      <div class="pairs">
        <SelectField label="Server" value={m.provider} options={localServers.map((s) => [s.provider, s.name] as const)} onChange={(provider) => setModel({ ...m, provider, address: usualAddress(provider) })} />
        <TextField label="Address" value={m.address} onChange={(address) => setModel({ ...m, address })} />
        <TextField label="Model name" autofocus list={list} value={m.model} error={change.fieldError('model')} onChange={(model) => setModel({ ...m, model })} />
        <datalist id={list}>{found.find((s) => s.provider === m.provider)?.models.map((name) => <option key={name} value={name} />)}</datalist>
      </div>
      <div class="line">
        <button type="submit" class="button main" disabled={change.busy}>Add to draft</button>
        {m.model.trim() ? <CopyButton text={localLines(m.provider, [m.model.trim()], writtenAddress(m))} what="Lines" note="Add them to the policy.">Copy YAML</CopyButton> : null}
      </div>
    </Form>
  )
}
