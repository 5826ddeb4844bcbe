import { CopyButton } from '../../components/basics'
import { ErrorBox } from '../../components/states'
import { useMutation } from '../../mutation'
import { insertLines } from '../policy/insert'
import { addToDraft } from './addtodraft'

/** Buttons that copy lines of a policy, or add them to the draft and open it. */
export function AddLines({ to, lines }: { to: string; lines: string }) {
  const change = useMutation()
  const add = () => void change.run(() => addToDraft(to, (text) => insertLines(text, lines)))
  return (
    <span class="line">
      <button type="button" class="button small" aria-label={`Add to draft: ${to}`} disabled={change.busy} onClick={add}>Add to draft</button>
      <CopyButton text={lines} what="Lines" note="Add them to the policy.">Copy YAML</CopyButton>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </span>
  )
}
