// Budgets for groups of requests: of a tag, of users, of agents, or of each key.
import { useState } from 'preact/hooks'
import { callApi, invalidate, type Loadable, useApi } from '../../api'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { Section } from '../../components/section'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { buildURL, navigate, params } from '../../router'
import { showToast } from '../../toast'
import type { Items } from '../../types'
import { type Budget, type BudgetDraft, describeSelector, emptyBudget, findBudgetError, type Kind, listMeters, toBudgetBody, toBudgetDraft, windows } from './budget'
import { BudgetMeterList } from './budgetmeters'

const kindOptions: [Kind, string][] = [['tag', 'Keys with a tag'], ['user', 'A user, or each user'], ['agent', 'An agent, or each agent'], ['key', 'Each key']]

const valueFields: Partial<Record<Kind, [label: string, hint: string]>> = {
  tag: ['Tag', 'All keys with this tag share the budget.'],
  user: ['User', 'Enter * to give each user without a budget of its own these amounts. Requests without a user share one.'],
  agent: ['Agent', 'Such as claude-code. Enter * to give each agent without a budget of its own these amounts. Requests without an agent share one.'],
}

const path = '/account/budgets'

/** The address says which form is open: ?new, or ?edit with the name of a budget. */
export function Budgets() {
  const loaded = useApi<Items<Budget>>('/budgets')
  const owner = hasRole('owner')
  const edited = loaded.data?.items.find((b) => b.name === params.value.get('edit'))
  const draft = !owner ? null : params.value.has('new') ? emptyBudget : edited ? toBudgetDraft(edited) : null
  return (
    <>
      {owner ? null : <p class="soft">{explainMissingRole('owner', 'change budgets')}</p>}
      <Section title="Group budgets" docs="/docs/limits#budgets-for-groups" description="A request must fit every budget that applies to it, and the limits of its key and of the account. Periods are in UTC.">
        <BudgetList loaded={loaded} editable={owner} />
        {owner && !draft ? <div class="line end"><button type="button" class="button main" onClick={() => navigate(buildURL(path, { new: '1' }))}>Add budget</button></div> : null}
      </Section>
      {draft ? <BudgetForm key={draft.name} from={draft} onDone={() => navigate(path)} /> : null}
    </>
  )
}

function BudgetList({ loaded, editable }: { loaded: Loadable<Items<Budget>>; editable: boolean }) {
  const mutation = useMutation()
  const remove = (b: Budget) => mutation.run(async () => {
    await callApi('DELETE', '/budgets/' + b.id)
    invalidate('/budgets', '/audit')
    showToast('Budget removed.')
  })
  return (
    <>
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      <Await of={loaded} rows={2}>
        {(all) => all.items.length === 0 ? <p class="soft">No group budgets.</p> : (
          <ul class="rows" aria-label="Group budgets">
            {all.items.map((b) => (
              <li key={b.id}>
                <span class="who">{escapeInvisible(b.name)}</span>
                <span class="meta">{escapeInvisible(describeSelector(b))}</span>
                {editable ? <button type="button" class="button small quiet" aria-label={`Edit the budget ${b.name}`} onClick={() => navigate(buildURL(path, { edit: b.name }))}>Edit</button> : null}
                {editable ? <button type="button" class="button small quiet" aria-label={`Remove the budget ${b.name}`} disabled={mutation.busy} onClick={() => void remove(b)}>Remove</button> : null}
                <BudgetMeterList of={b} meters={listMeters(b)} />
              </li>
            ))}
          </ul>
        )}
      </Await>
    </>
  )
}

function BudgetForm({ from, onDone }: { from: BudgetDraft; onDone: () => void }) {
  const [d, setDraft] = useState(from)
  const mutation = useMutation()
  const isNew = from.name === ''
  const set = (change: Partial<BudgetDraft>) => setDraft({ ...d, ...change })
  const value = valueFields[d.kind]
  const send = () => {
    const bad = findBudgetError(d)
    if (bad) return mutation.rejectField(bad.param, bad.message)
    void mutation.run(async () => {
      await callApi('POST', '/budgets', toBudgetBody(d))
      invalidate('/budgets', '/audit')
      showToast('Budget saved.')
      onDone()
    })
  }
  return (
    <Form class="settings" onSubmit={send} error={mutation.error} fieldParams={['name', 'value', ...windows.map(([w]) => w)]}>
      <Section title={isNew ? 'Add budget' : 'Edit budget'} description="Leave an amount empty for no limit. A budget whose requests change starts again with nothing spent.">
        <TextField label="Budget name" hint="Clients see this name when the budget rejects a request." value={d.name} disabled={!isNew} error={mutation.fieldError('name')} onChange={(v) => set({ name: v })} />
        <div class="pairs">
          <SelectField label="Applies to" value={d.kind} options={kindOptions} onChange={(v) => set({ kind: v, value: '' })} />
          {value ? <TextField label={value[0]} hint={value[1]} value={d.value} error={mutation.fieldError('value')} onChange={(v) => set({ value: v })} /> : null}
        </div>
        <div class="pairs three">
          {windows.map(([w, , label]) => <TextField key={w} label={label} numeric value={d[w]} error={mutation.fieldError(w)} onChange={(v) => set({ [w]: v })} />)}
        </div>
        <FormButtons submit="Save budget" busy={mutation.busy} onCancel={onDone} />
      </Section>
    </Form>
  )
}
