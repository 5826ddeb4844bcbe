// What people do with experiments on the page: take part, add, pause, resume, stop and promote.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { callApi, invalidate } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, SelectField, TextField } from '../../components/fields'
import { ErrorBox } from '../../components/states'
import { escapeInvisible } from '../../format'
import { completeList, useModelNames } from '../../models'
import { useMutation } from '../../mutation'
import { explainMissingRole, hasRole } from '../../role'
import { showToast } from '../../toast'
import type { ComparedPair } from './compared'
import { describeExperiment, describeState, type Experiment, findDraftError, type Setup, toAddition } from './setup'

const reloadAll = () => invalidate('/policy', '/experiments', '/rollouts', '/audit')

/** A dialog that explains a change and makes it. */
function Confirm(p: { title: string; text: string; button: string; done: string; change: () => Promise<unknown>; onClose: () => void; children?: ComponentChildren }) {
  const mutation = useMutation()
  const send = async () => {
    const ok = await mutation.run(async () => {
      await p.change()
      reloadAll()
      showToast(p.done)
    })
    if (ok) p.onClose()
  }
  return (
    <Dialog open title={p.title} onClose={p.onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={[]}>
        {p.children}
        <p>{p.text}</p>
        <FormButtons submit={p.button} busy={mutation.busy} onCancel={p.onClose} />
      </Form>
    </Dialog>
  )
}

/** Whether the account takes part, and the owner's switch. */
export function TakePart({ on }: { on: boolean }) {
  const [asking, ask] = useState(false)
  const mutation = useMutation()
  const set = async (yes: boolean) => {
    await callApi('PATCH', '/account', { allow_experiments: yes })
    invalidate('/account')
    reloadAll()
  }
  return (
    <>
      <div class="line">
        <span><b>{on ? 'This account takes part.' : 'This account does not take part.'}</b> {on ? 'A sample of its requests whose text is stored in full also goes to other models.' : 'None of its requests is sampled.'}</span>
        {!hasRole('owner') ? null : on
          ? <button type="button" class="button small" disabled={mutation.busy} onClick={() => void mutation.run(async () => { await set(false); showToast('This account no longer takes part.') })}>Stop taking part</button>
          : <button type="button" class="button small" onClick={() => ask(true)}>Take part…</button>}
      </div>
      {hasRole('owner') ? null : <p class="soft">{explainMissingRole('owner', 'change that')}</p>}
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
      {asking ? (
        <Confirm
          title="Take part in experiments" button="Take part" done="This account takes part." onClose={() => ask(false)} change={() => set(true)}
          text="A sample of your requests whose text is stored in full is sent to the models and judges of the operator’s experiments. Your responses and your costs do not change. You can stop at any time: waiting samples are dropped within a second."
        />
      ) : null}
    </>
  )
}

type Verb = 'pause' | 'resume' | 'stop'

const verbs: Record<Verb, { name: string; text: string; done: string }> = {
  pause: { name: 'Pause', text: 'It samples nothing until you resume it. Its results stay.', done: 'Experiment paused.' },
  resume: { name: 'Resume', text: 'It samples requests again, and spends money up to its daily limit.', done: 'Experiment resumed.' },
  stop: { name: 'Stop', text: 'It is removed from the policy. Its results stay in this list.', done: 'Experiment stopped.' },
}

const endsRollout = ' The change is a new policy version: all proxies use it within seconds, and an open rollout ends.'

/** The experiments of the policy, for operators. */
export function Configured({ setup, takesPart }: { setup: Setup; takesPart: boolean }) {
  const [asked, ask] = useState<{ verb: Verb; of: Experiment } | null>(null)
  const [adding, setAdding] = useState(false)
  const mayChange = hasRole('owner') && !setup.read_only
  return (
    <>
      {setup.items.length === 0 ? <p class="soft">The policy has no experiments.</p> : (
        <ul class="plain stack" aria-label="Experiments of the policy">
          {setup.items.map((e) => (
            <li key={e.name} class="line">
              <span><b><bdi>{escapeInvisible(e.name)}</bdi>: {describeState(e, takesPart)}.</b> {escapeInvisible(describeExperiment(e))}.</span>
              {mayChange ? ([e.paused ? 'resume' : 'pause', 'stop'] as const).map((verb) => (
                <button key={verb} type="button" class="button small" aria-label={`${verbs[verb].name} ${e.name}`} onClick={() => ask({ verb, of: e })}>{verbs[verb].name}…</button>
              )) : null}
            </li>
          ))}
        </ul>
      )}
      {setup.read_only ? <p class="soft">A configuration file controls the policy, so this page cannot change experiments. Edit <code>experiments</code> in the file: the router reads it again. <a href="/docs/quality#experiments">How experiments are written</a></p> : null}
      {mayChange ? <div><button type="button" class="button" onClick={() => setAdding(true)}>Add experiment…</button></div> : null}
      {asked ? (
        <Confirm
          title={`${verbs[asked.verb].name} ${asked.of.name}`} text={verbs[asked.verb].text + endsRollout} button={verbs[asked.verb].name} done={verbs[asked.verb].done} onClose={() => ask(null)}
          change={() => callApi('POST', '/policy/experiments', { action: asked.verb, name: asked.of.name, expected_version: setup.version })}
        />
      ) : null}
      {adding ? <AddDialog setup={setup} onClose={() => setAdding(false)} /> : null}
    </>
  )
}

function AddDialog({ setup, onClose }: { setup: Setup; onClose: () => void }) {
  const [d, setDraft] = useState({ name: '', route: setup.routes.includes('auto') ? 'auto' : (setup.routes[0] ?? ''), percent: '5', candidates: '', judge: '', usd: '1' })
  const mutation = useMutation()
  const models = useModelNames().chat
  const field = (key: 'name' | 'percent' | 'candidates' | 'judge' | 'usd', label: string, param: string, hint?: string, list?: string) => (
    <TextField label={label} hint={hint} value={d[key]} numeric={key === 'percent' || key === 'usd'} error={mutation.fieldError(param)} onChange={(v) => setDraft({ ...d, [key]: v })} {...(list ? { list } : {})} />
  )
  const send = async () => {
    const bad = findDraftError(d)
    if (bad) return mutation.rejectField(...bad)
    const ok = await mutation.run(async () => {
      await callApi('POST', '/policy/experiments', { ...toAddition(d), expected_version: setup.version })
      reloadAll()
      showToast('Experiment started.')
    })
    if (ok) onClose()
  }
  return (
    <Dialog open title="Add experiment" onClose={onClose}>
      <Form onSubmit={() => void send()} error={mutation.error} fieldParams={['name', 'share', 'candidates', 'judge', 'daily_usd']}>
        {field('name', 'Name', 'name')}
        <SelectField label="Route" value={d.route} options={setup.routes.map((r) => [r, r] as const)} onChange={(route) => setDraft({ ...d, route })} />
        {field('percent', 'Share of the requests in percent', 'share')}
        {field('candidates', 'Candidates', 'candidates', 'Models to compare with the one that serves a request, separated by commas.', 'experiment-candidates')}
        {field('judge', 'Judge', 'judge', 'Best a model that is not compared.', 'experiment-judges')}
        {field('usd', 'Daily limit in US dollars', 'daily_usd', 'For candidates and judge together. Clients pay nothing.')}
        <datalist id="experiment-candidates">{completeList(d.candidates, models).map((m) => <option key={m} value={m} />)}</datalist>
        <datalist id="experiment-judges">{models.map((m) => <option key={m} value={m} />)}</datalist>
        <p>Only accounts that take part are sampled.{endsRollout}</p>
        <FormButtons submit="Start experiment" busy={mutation.busy} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

/** Rolls out the candidate of a pair. */
export function PromoteDialog({ of: p, experiment: e, setup, onClose }: { of: ComparedPair; experiment: Experiment; setup: Setup; onClose: () => void }) {
  const routes = e.routes.length > 0 ? e.routes.map((r) => r.split(':')[0]!) : setup.routes
  const [route, setRoute] = useState(routes[0] ?? '')
  return (
    <Confirm
      title={`Promote ${p.candidate}`} button="Start rollout" done="Rollout started at 1 %." onClose={onClose}
      change={() => callApi('POST', '/policy/experiments', { action: 'promote', name: p.experiment, candidate: p.candidate, route, expected_version: setup.version })}
      text={`All requests of ${route} that no rule with conditions decides go to ${p.candidate}, also those that another model than ${p.served} serves today. The new version serves 1 % of the sessions, then 10 %, 50 % and all of them. If errors, latency, cost or quality get worse than the limits allow, Signalbox rolls back by itself.`}
    >
      {routes.length > 1 ? <SelectField label="Route" value={route} options={routes.map((r) => [r, r] as const)} onChange={setRoute} /> : null}
    </Confirm>
  )
}
