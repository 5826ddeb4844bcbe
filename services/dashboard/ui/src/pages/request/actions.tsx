// What can be done with a request: share it, repeat it, compare it.
import { CopyButton } from '../../components/basics'
import { buildURL, params, setParams } from '../../router'
import { showToast } from '../../toast'
import { shortenId } from '../../format'
import type { RequestDetail } from '../../types'
import { buildCurlCommand, hasFullRequest } from './curl'

export const curlNote = (r: RequestDetail): string => (hasFullRequest(r) ? '' : 'It contains an example, because the content is not completely stored.')

export function Actions({ r }: { r: RequestDetail }) {
  return (
    <>
      <CopyButton text={`${location.origin}/requests/${r.id}`} what="Link">Copy link</CopyButton>
      <CopyButton text={buildCurlCommand(r)} what="Command" note={curlNote(r)}>Copy as curl</CopyButton>
      <a class="button small" href={'/playground?request=' + r.id}>Open in playground</a>
      <CompareButton r={r} />
    </>
  )
}

/** Marks the request, or compares it with the request that is marked. The URL has the mark. */
function CompareButton({ r }: { r: RequestDetail }) {
  const marked = params.value.get('compare')
  if (marked && marked !== r.id) return <a class="button small" href={compareURL(marked, r.id)}>Compare with {shortenId(marked)}</a>
  return <button type="button" class="button small" aria-pressed={marked === r.id} onClick={() => mark(marked ? null : r.id)}>Compare</button>
}

function mark(id: string | null): void {
  setParams({ compare: id }, 'replace')
  if (id) showToast('Open another request to compare it with this one.')
}

/** The page that shows two requests side by side. */
export const compareURL = (a: string, b: string): string => buildURL('/requests/compare', { a, b })

/** Marks a request for comparison, or compares it with the marked one. */
export function markOrCompare(id: string, go: (to: string) => void): void {
  const marked = params.value.get('compare')
  if (marked && marked !== id) go(compareURL(marked, id))
  else mark(marked ? null : id)
}
