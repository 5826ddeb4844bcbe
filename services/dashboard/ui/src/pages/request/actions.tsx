// What can be done with a request: share it, repeat it, compare it.
import { boot } from '../../boot'
import { CopyButton } from '../../components/basics'
import { Popover } from '../../components/controls'
import { escapeInvisible, shortenId } from '../../format'
import { hasRole } from '../../role'
import { buildURL, params, setParams } from '../../router'
import { showToast } from '../../toast'
import type { RequestDetail } from '../../types'
import { buildCurlCommand, hasFullRequest } from './curl'
import { modelsToRun, runAgainURL } from './runagain'

export const curlNote = (r: RequestDetail): string => (hasFullRequest(r) ? '' : 'It contains an example, because the content is not completely stored.')

export function Actions({ r }: { r: RequestDetail }) {
  return (
    <>
      <CopyButton text={`${location.origin}/requests/${r.id}`} what="Link">Copy link</CopyButton>
      <CopyButton text={buildCurlCommand(r)} what="Command" note={curlNote(r)}>Copy as curl</CopyButton>
      <RunAgain r={r} />
      {boot.operator ? <a class="button small" href={'/policy?from_request=' + r.id}>Create rule</a> : null}
      <CompareButton r={r} />
    </>
  )
}

/** Opens the playground with the request, and with the model that was sent, or with another one beside the one that served it. */
function RunAgain({ r }: { r: RequestDetail }) {
  if (!hasRole('member') || r.endpoint === 'embeddings') return null
  return (
    <Popover content="Run again" label="Run again" class="button small">
      <div class="menu">
        <a href={'/playground?request=' + r.id}>Open in playground</a>
        {modelsToRun(r).filter((m) => m !== r.model).map((m) => <a key={m} href={runAgainURL(r, r.model ? [r.model, m] : [m])}>{r.model ? `${escapeInvisible(r.model)} beside ${escapeInvisible(m)}` : escapeInvisible(m)}</a>)}
      </div>
    </Popover>
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
