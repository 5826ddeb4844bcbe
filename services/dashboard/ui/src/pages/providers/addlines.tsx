import { callApi } from '../../api'
import { CopyButton } from '../../components/basics'
import { ErrorBox } from '../../components/states'
import { useMutation } from '../../mutation'
import { buildURL, navigate } from '../../router'
import { showToast } from '../../toast'
import { addToDraft } from '../policy/draft'
import type { PolicyState } from '../policy/types'

/** Buttons that copy lines of a policy, or add them to the draft and open it. */
export function AddLines({ to, lines }: { to: string; lines: string }) {
  const change = useMutation()
  const add = () => void change.run(async () => {
    const p = await callApi<PolicyState>('GET', '/policy')
    if (p.read_only) return showToast('The policy comes from a file. Copy the lines, and add them there.')
    if (!addToDraft(p.version, lines)) return showToast('The lines do not fit into the draft as it is written. Copy them, and add them on the page Policy.')
    navigate(buildURL('/policy', { added: to }))
    showToast('Lines added to the draft.')
  })
  return (
    <span class="line">
      <button type="button" class="button small" aria-label={`Add to draft: ${to}`} disabled={change.busy} onClick={add}>Add to draft</button>
      <CopyButton text={lines} what="Lines" note="Add them to the policy.">Copy YAML</CopyButton>
      {change.error ? <ErrorBox error={change.error} /> : null}
    </span>
  )
}
