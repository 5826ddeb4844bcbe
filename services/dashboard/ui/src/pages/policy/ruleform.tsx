// The form that makes a rule from a recorded request and adds it to the draft.
import { useState } from 'preact/hooks'
import { callApi, useApi } from '../../api'
import { CopyButton } from '../../components/basics'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { Await } from '../../components/states'
import { escapeInvisible, shortenId } from '../../format'
import { useModelNames } from '../../models'
import { useMutation } from '../../mutation'
import { params, setParams } from '../../router'
import { showToast } from '../../toast'
import type { RequestDetail } from '../../types'
import { entryNames } from './complete'
import { findRoute, freeName, type RuleAction, suggestConditions, suggestName, writeRule } from './fromrequest'
import type { Rule, RuleList } from './types'
import type { Work } from './work'

/** The dialog for the request in the URL, if there is one. */
export function RuleFromRequest({ work }: { work: Work }) {
  const id = params.value.get('from_request')
  return id ? <RuleDialog key={id} id={id} work={work} /> : null
}

const close = (): void => setParams({ from_request: null }, 'replace')

function RuleDialog({ id, work }: { id: string; work: Work }) {
  const request = useApi<RequestDetail>('/requests/' + encodeURIComponent(id))
  const rules = useApi<RuleList>('/policy/rules')
  return (
    <Dialog open title={`Rule from request ${shortenId(id)}`} onClose={close}>
      <Await of={request}>{(r) => <Await of={rules}>{(all) => <RuleForm of={r} rules={work.draft ? (work.check.last?.rules ?? all.items) : all.items} work={work} />}</Await>}</Await>
    </Dialog>
  )
}

function RuleForm({ of: r, rules, work }: { of: RequestDetail; rules: Rule[]; work: Work }) {
  const routes = [...new Set(rules.map((x) => x.route))]
  const suggestions = suggestConditions(r)
  const models = useModelNames()
  const change = useMutation()
  const [chosen, setChosen] = useState(() => new Set([suggestions[0]!.field]))
  const [route, setRoute] = useState(() => findRoute(r, routes))
  const [kind, setKind] = useState<RuleAction['kind']>('target')
  const [model, setModel] = useState(r.model ?? r.baseline.model ?? '')
  const [message, setMessage] = useState('')
  const [ownName, setName] = useState<string | null>(null)
  const when = suggestions.filter((s) => chosen.has(s.field))
  const name = ownName ?? freeName(suggestName(when), route, rules)
  const rule = writeRule(name, when, kind === 'target' ? { kind, model } : { kind, message })
  const toggle = (field: string) => {
    const now = new Set(chosen)
    if (!now.delete(field)) now.add(field)
    setChosen(now)
  }
  const add = () => void change.run(async () => {
    const changed = await callApi<{ document: string; rules: Rule[] }>('POST', '/policy/rules/add', { document: work.text, route, at: 0, rule })
    close()
    work.replace(changed.document, changed.rules)
    showToast('Rule added to the draft. Check it, and publish it.')
    requestAnimationFrame(() => work.go({ line: changed.rules.find((x) => x.route === route)!.line, column: 1 }))
  })
  const modelNames = [...new Set([...entryNames(work.text, 'models'), ...models.all])]
  return (
    <Form onSubmit={add} error={change.error} fieldParams={[]}>
      {routes.includes(r.requested_model) || r.requested_model.startsWith('auto') ? null : <p>The request named the model <bdi>{escapeInvisible(r.requested_model)}</bdi>, so no rule decided it. The new rule applies to requests for the route.</p>}
      <fieldset>
        <legend>The rule applies if all of these are true</legend>
        {suggestions.map((s) => <label key={s.field} class="check"><input type="checkbox" checked={chosen.has(s.field)} onChange={() => toggle(s.field)} /> <span>{escapeInvisible(s.text)}</span></label>)}
        {when.length === 0 ? <p class="lost">Without a condition the rule applies to every request of the route, and no later rule applies.</p> : null}
      </fieldset>
      <div class="pairs">
        <SelectField label="Route" value={route} options={routes.map((n) => [n, n] as const)} onChange={setRoute} />
        <TextField label="Name" value={name} onChange={setName} />
        <SelectField label="Action" value={kind} options={[['target', 'Use a model'], ['deny', 'Reject the request']] as const} onChange={setKind} />
        {kind === 'target' ? <TextField label="Model" value={model} list="rule-models" onChange={setModel} /> : <TextField label="Message to the client" value={message} onChange={setMessage} />}
      </div>
      <datalist id="rule-models">{modelNames.map((n) => <option key={n} value={n} />)}</datalist>
      <p class="soft">{work.readOnly ? 'A file controls the policy. Add this line at the top of “select” there:' : 'This line goes to the top of the route, so that it takes precedence:'}</p>
      <pre class="unified" tabIndex={0}>- {escapeInvisible(rule)}</pre>
      {work.readOnly ? <div class="line end"><button type="button" class="button" onClick={close}>Cancel</button><CopyButton text={`- ${rule}`} what="Rule">Copy YAML</CopyButton></div> : <FormButtons submit="Add to draft" busy={change.busy} onCancel={close} />}
    </Form>
  )
}
