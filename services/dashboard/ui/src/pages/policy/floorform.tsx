// The form that tries another quality floor of a rule: it changes the draft and replays requests.
import { useState } from 'preact/hooks'
import { callApi } from '../../api'
import { Dialog } from '../../components/controls'
import { Form, FormButtons, TextField } from '../../components/fields'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { params, setParams } from '../../router'
import { findFloorRule, findTrial, floorOf, floorParam, isOnlyChange, isQuality, writeFloor } from './floor'
import type { Rule, ValidationResult } from './types'
import type { Work } from './work'

const close = (): void => setParams({ quality_of: null }, 'replace')

/** Opens the form of a rule. */
export function FloorButton({ of: r }: { of: Rule }) {
  const floor = floorOf(r)
  if (!floor) return null
  return <div><button type="button" class="linklike" aria-label={`Try another quality ${floor.kind} for ${escapeInvisible(r.name ?? `rule ${r.index + 1}`)}`} onClick={() => setParams({ quality_of: floorParam(r) })}>Try another quality {floor.kind}</button></div>
}

/** The form of the rule that the address names. */
export function FloorDialog({ rules, active, work }: { rules: Rule[]; active: Rule[]; work: Work }) {
  const r = findFloorRule(rules, params.value.get('quality_of'))
  return r && !work.readOnly ? <Dialog open title={`Try another quality ${floorOf(r)!.kind}`} onClose={close}><FloorForm key={floorParam(r)} of={r} rules={rules} active={active} work={work} /></Dialog> : null
}

/** Common qualities that a button tries at once. */
const presets = ['0.9', '0.97']

function FloorForm({ of: r, rules, active, work }: { of: Rule; rules: Rule[]; active: Rule[]; work: Work }) {
  const now = floorOf(r)!
  const [value, setValue] = useState(now.value)
  const change = useMutation()
  const send = (typed: string) => {
    const wanted = typed.trim()
    if (!isQuality(wanted)) return change.rejectField('floor', 'Enter a number from 0 to 1 with at most three decimal places, such as 0.9.')
    const text = writeFloor(work.text, rules, r, wanted)
    const reject = () => change.rejectField('floor', 'The rule is written in a way that this form cannot change. Change the number in the document below.')
    if (text === null) return reject()
    void change.run(async () => {
      const checked = await callApi<ValidationResult>('POST', '/policy/validate', { document: text })
      if (!isOnlyChange(rules, checked.rules, r, wanted)) return reject()
      close()
      work.replace(text, checked.rules)
      work.replay(text, findTrial(text, work.document, active, findFloorRule(checked.rules, floorParam(r))!))
    })
  }
  return (
    <Form onSubmit={() => send(value)} error={change.error} fieldParams={['floor']}>
      <p>The number goes into the draft, and the requests of the last 7 days are replayed with it. The active policy does not change.</p>
      <TextField label={`Quality ${now.kind} of ${escapeInvisible(r.name ?? `rule ${r.index + 1}`)}`} hint={`From 0 to 1. It is ${now.value} in the ${work.draft ? 'draft' : 'active policy'}.`} value={value} numeric error={change.fieldError('floor')} onChange={setValue} />
      <div class="line" role="group" aria-label="Replay with">
        {presets.filter((p) => Number(p) !== Number(now.value)).map((p) => <button key={p} type="button" class="button" disabled={change.busy} onClick={() => send(p)}>{p}</button>)}
      </div>
      <FormButtons submit="Replay" busy={change.busy} onCancel={close} />
    </Form>
  )
}
