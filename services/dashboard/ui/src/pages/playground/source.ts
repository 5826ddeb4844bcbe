// Where a draft comes from: a logged request, or a shared run. The URL names it by its id.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, useApi } from '../../api'
import { params } from '../../router'
import type { RequestDetail } from '../../types'
import { hasFullRequest } from '../request/curl'
import { changeDraft, type Endpoint } from './draft'
import { selectModels } from './models'

export interface SharedRun {
  id: string
  author: string
  created: string
  expires_at: string
  endpoint: Endpoint
  models: string[]
  body: Record<string, unknown>
}

export interface Source {
  loading: boolean
  error: ApiError | undefined
  request: RequestDetail | undefined
  share: SharedRun | undefined
  /** Why the request cannot be repeated as it was; empty if it can. */
  problem: string
}

let filledFrom = ''

/** Loads the source that the URL names and fills the draft with it once. Later changes of the user are not overwritten. */
export function useSource(): Source {
  const requestId = params.value.get('request')
  const shareId = params.value.get('share')
  const request = useApi<RequestDetail>(requestId ? '/requests/' + encodeURIComponent(requestId) : null)
  const share = useApi<SharedRun>(shareId ? '/playground/shares/' + encodeURIComponent(shareId) : null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const r = request.data
    if (!r) return
    const why = explainUnusable(r)
    setProblem(why)
    if (why || filledFrom === 'request ' + r.id) return
    filledFrom = 'request ' + r.id
    changeDraft({ endpoint: endpointOf(r), whole: true, body: prettify(r.request!) })
    if (!params.value.get('models')) selectModels([r.requested_model])
  }, [request.data])
  useEffect(() => {
    const s = share.data
    if (s && filledFrom !== 'share ' + s.id) {
      changeDraft({ endpoint: s.endpoint, whole: true, body: JSON.stringify(s.body, null, 2) })
      if (!params.value.get('models')) selectModels(s.models)
      filledFrom = 'share ' + s.id
    }
  }, [share.data])
  return { loading: request.loading || share.loading, error: request.error ?? share.error, request: request.data, share: share.data, problem }
}

/** Keeps the draft of a run that the user has just shared. */
export const keepDraftOf = (id: string): void => {
  filledFrom = 'share ' + id
}

export function explainUnusable(r: RequestDetail): string {
  if (r.endpoint === 'embeddings') return 'The playground sends chat requests. This request computed embeddings.'
  if (r.protocol === 'gemini') return 'The playground cannot send requests in Google’s format yet.'
  if (r.capture === 'redacted') return 'The content of this request is stored with redactions, so it cannot be repeated.'
  if (!hasFullRequest(r)) return 'The content of this request is not completely stored, so it cannot be repeated.'
  return ''
}

const endpointOf = (r: RequestDetail): Endpoint => (r.protocol === 'messages' || r.protocol === 'responses' ? r.protocol : 'chat')

/** Indents JSON, and leaves out the model, which each column sets. */
function prettify(text: string): string {
  try {
    const { model: _, ...rest } = JSON.parse(text)
    return JSON.stringify(rest, null, 2)
  } catch {
    return text
  }
}
