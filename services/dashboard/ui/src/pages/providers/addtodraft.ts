import { callApi } from '../../api'
import { buildURL, navigate } from '../../router'
import { showToast } from '../../toast'
import { changeDraft } from '../policy/draft'
import type { PolicyState } from '../policy/types'

/** Changes the policy draft so that it has a provider, and opens it. change returns null if the text cannot be changed. silent tells that the provider's server did not answer. */
export async function addToDraft(provider: string, change: (text: string) => string | null | Promise<string | null>, silent = false): Promise<void> {
  const p = await callApi<PolicyState>('GET', '/policy')
  if (p.read_only) return showToast('The policy comes from a file. Copy the lines, and add them there.')
  if (!(await changeDraft(p.version, change))) return showToast('The lines do not fit into the draft as it is written. Copy them, and add them on the page Policy.')
  navigate(buildURL('/policy', { added: provider, silent: silent ? '1' : null }))
  showToast('Lines added to the draft.')
}
