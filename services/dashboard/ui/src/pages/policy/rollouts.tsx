// The rollout of a policy version: its steps, what the guardrails found, what happened, and
// the buttons to change it by hand.
import { useState } from 'preact/hooks'
import { callApi, invalidate, useApi } from '../../api'
import { Time } from '../../components/basics'
import { Await, ErrorBox } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { useMutation } from '../../mutation'
import { usePolling } from '../../polling'
import { hasRole } from '../../role'
import type { Items } from '../../types'
import { actionNames, type Check, checkNames, formatFigure, formatLimit, formatShare, formatWorse, isOpen, type Rollout, stateNames, steps, verdictNames } from './rollout'
import { shortVersion } from './types'

/** The latest rollout. active is the active version, if a completed rollout can be undone here. */
export function Rollouts({ active }: { active?: string }) {
  const list = useApi<Items<Rollout>>('/rollouts')
  usePolling(list.reload)
  if (list.data?.items.length === 0) return null
  return (
    <section class="stack" aria-labelledby="rollout">
      <h2 id="rollout">Rollout</h2>
      <Await of={list} rows={3}>{({ items: [latest] }) => <RolloutView of={latest!} active={active} />}</Await>
    </section>
  )
}

export function RolloutView({ of: r, active }: { of: Rollout; active?: string | undefined }) {
  const canUndo = r.state === 'completed' && r.candidate_version === active
  return (
    <>
      {r.reason ? <div class={r.state === 'rolled_back' || r.state === 'halted' ? 'errorbox' : 'about'} role="status"><p><b>{stateNames[r.state]}.</b> {escapeInvisible(r.reason)}</p></div> : null}
      <p>
        <b>{stateNames[r.state]}{isOpen(r) ? ` at ${formatShare(r.share)}` : ''}</b>: version <span class="mono">{shortVersion(r.candidate_version)}</span> in place of <span class="mono">{shortVersion(r.stable_version)}</span>
        {r.note ? <>, “{escapeInvisible(r.note)}”</> : null}. Started <Time at={r.started_at} as="relative" /> by {escapeInvisible(r.author || 'an operator')}.
      </p>
      <ol class="rolloutsteps" aria-label="Steps">
        {steps.map((s) => <li key={s} aria-current={isOpen(r) && s === r.share ? 'step' : undefined} class={r.events.some((e) => e.share >= s) ? 'done' : undefined}>{formatShare(s)}</li>)}
      </ol>
      {(isOpen(r) || canUndo) && hasRole('owner') ? <RolloutButtons of={r} /> : null}
      <Checks of={r} />
      <History of={r} />
    </>
  )
}

function RolloutButtons({ of: r }: { of: Rollout }) {
  const mutation = useMutation()
  const [confirming, setConfirming] = useState(false)
  const send = (verb: string) => mutation.run(async () => {
    setConfirming(false)
    if (isOpen(r)) await callApi('POST', `/rollouts/${r.id}/${verb}`, { revision: r.revision })
    else await callApi('POST', '/policy/rollback', { version: r.stable_version, note: 'Undo a rollout' })
    invalidate('/rollouts', '/policy')
  })
  return (
    <>
      <div class="line" role="group" aria-label="Change the rollout">
        {isOpen(r) ? <button type="button" class="button" disabled={mutation.busy} onClick={() => void send('advance')}>{r.share >= 5000 ? 'Complete' : 'Advance'}</button> : null}
        {r.state === 'running' ? <button type="button" class="button" disabled={mutation.busy} onClick={() => void send('halt')}>Halt</button> : null}
        {confirming ? <button type="button" class="button main" disabled={mutation.busy} onClick={() => void send('rollback')}>Confirm rollback</button> : <button type="button" class="button" onClick={() => setConfirming(true)}>Roll back…</button>}
        <span class="meta">{!isOpen(r) ? 'Rolling back makes the version before active again.' : r.state === 'halted' || r.guardrails.manual ? 'It advances only by hand.' : 'It advances by itself when the guardrails allow it.'}{isOpen(r) ? ' The guardrails roll it back at any time.' : ''}</span>
      </div>
      {mutation.error ? <ErrorBox error={mutation.error} /> : null}
    </>
  )
}

function Checks({ of: r }: { of: Rollout }) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Guardrails">
        <table class="table">
          <caption class="meta">{formatCount(r.candidate_requests)} requests with the new version and {formatCount(r.stable_requests)} with the stable one, at {formatShare(r.step)}</caption>
          <thead><tr><th scope="col">Guardrail</th><th scope="col" class="num">New version</th><th scope="col" class="num">Stable version</th><th scope="col" class="num">Worse by</th><th scope="col" class="num">Limit</th><th scope="col">Result</th></tr></thead>
          <tbody>{r.checks.map((c) => <CheckRow key={c.name} of={c} />)}</tbody>
        </table>
      </div>
      <p class="meta">The intervals in parentheses stay valid however often you look at them. Errors and signals cover every request; feedback only rated ones.</p>
    </>
  )
}

function CheckRow({ of: c }: { of: Check }) {
  return (
    <tr>
      <th scope="row">{checkNames[c.name]}</th>
      <td class="num">{formatFigure(c.name, c.candidate)}</td><td class="num">{formatFigure(c.name, c.stable)}</td>
      <td class="num">{formatWorse(c)}</td><td class="num">{formatLimit(c)}</td>
      <td class={c.verdict === 'breached' ? 'lost' : c.verdict === 'within' ? 'saved' : undefined}>{verdictNames[c.verdict]}</td>
    </tr>
  )
}

function History({ of: r }: { of: Rollout }) {
  return (
    <ol class="trail" aria-label="What happened">
      {r.events.map((e) => (
        <li key={e.id}>
          <Time at={e.time} as="moment" />
          <span>{actionNames[e.action] ?? e.action} at {formatShare(e.share)} by {e.author ? escapeInvisible(e.author) : 'the guardrails'}{e.reason ? `: ${escapeInvisible(e.reason)}` : ''}</span>
        </li>
      ))}
    </ol>
  )
}
