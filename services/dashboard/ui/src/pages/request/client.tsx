// Which program sent the request, for which user and session, and in which protocol.
// Each links to the requests that have the same value, and the session to its page.
import { escapeInvisible } from '../../format'
import { defaultRange } from '../../range'
import { narrowFilter, requestsURL, sessionURL } from '../../requestlinks'
import { params } from '../../router'
import type { Request } from '../../types'

type Field = 'agent' | 'protocol' | 'user'

/** The URL of the requests with the same value in a field; null if no filter can select them. */
export function sameRequestsURL(r: Pick<Request, Field>, field: Field): string | null {
  const filter = narrowFilter('', field, r[field])
  return filter === null ? null : requestsURL(filter, params.value.get('range') ?? defaultRange)
}

export function Client({ r }: { r: Request }) {
  return (
    <dl class="facts">
      <dt>Client</dt><dd><Value r={r} field="agent" /></dd>
      {r.session ? <><dt>Session</dt><dd><a class="mono" href={sessionURL(r.session)}>{escapeInvisible(r.session)}</a>{r.side_call ? <span class="soft"> (side call)</span> : null}</dd></> : null}
      {r.user ? <><dt>User</dt><dd><Value r={r} field="user" /></dd></> : null}
      <dt>Protocol</dt><dd><Value r={r} field="protocol" /></dd>
    </dl>
  )
}

function Value({ r, field }: { r: Request; field: Field }) {
  const text = escapeInvisible(r[field] ?? 'Unknown')
  const url = sameRequestsURL(r, field)
  return url ? <a href={url}>{text}</a> : <>{text}</>
}
