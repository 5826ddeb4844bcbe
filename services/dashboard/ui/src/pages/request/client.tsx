// Which program sent the request, for which user and session, and in which protocol, with the
// tags of the key and the metadata of the client.
// Each links to the requests that have the same value, and the session to its page.
import { escapeInvisible } from '../../format'
import { defaultRange } from '../../range'
import { narrowFilter, requestsURL, sessionURL } from '../../requestlinks'
import { params } from '../../router'
import type { Request, RequestDetail } from '../../types'

type Field = 'agent' | 'protocol' | 'user'

/** The URL of the requests with the same value in a field; null if no filter can select them. */
export function sameRequestsURL(r: Pick<Request, Field>, field: Field): string | null {
  return urlOf(field, r[field])
}

/** The URL of the requests with a value in a field, such as tag or meta.team; null if no filter can select them. */
export function urlOf(field: string, value: string | null): string | null {
  if (!/^[\w.-]+$/.test(field)) return null
  const filter = narrowFilter('', field, value)
  return filter === null ? null : requestsURL(filter, params.value.get('range') ?? defaultRange)
}

export function Client({ r }: { r: RequestDetail }) {
  const tags = r.inputs?.tags ?? []
  const metadata = Object.entries(r.inputs?.metadata ?? {}).sort()
  return (
    <dl class="facts">
      <dt>Client</dt><dd><Value r={r} field="agent" /></dd>
      {r.session ? <><dt>Session</dt><dd><a class="mono" href={sessionURL(r.session)}>{escapeInvisible(r.session)}</a>{r.side_call ? <span class="soft"> (side call)</span> : null}</dd></> : null}
      {r.user ? <><dt>User</dt><dd><Value r={r} field="user" /></dd></> : null}
      <dt>Protocol</dt><dd><Value r={r} field="protocol" /></dd>
      {tags.length > 0 ? <><dt>Key tags</dt><dd class="line signals">{tags.map((t) => <Chip key={t} field="tag" value={t} />)}</dd></> : null}
      {metadata.length > 0 ? <><dt>Metadata</dt><dd class="line signals">{metadata.map(([name, value]) => <Chip key={name} field={'meta.' + name} value={value} name={name} />)}</dd></> : null}
    </dl>
  )
}

/** A tag or an entry of the metadata. It links to the requests with the same one, if a filter can select them. */
function Chip({ field, value, name }: { field: string; value: string; name?: string }) {
  const url = urlOf(field, value)
  const text = <>{name ? <>{escapeInvisible(name)} </> : null}<b>{escapeInvisible(value)}</b></>
  return url ? <a class="chip plain" href={url}>{text}</a> : <span class="chip plain">{text}</span>
}

function Value({ r, field }: { r: Request; field: Field }) {
  const text = escapeInvisible(r[field] ?? 'Unknown')
  const url = sameRequestsURL(r, field)
  return url ? <a href={url}>{text}</a> : <>{text}</>
}
