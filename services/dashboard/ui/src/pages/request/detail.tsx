// One request: what happened in a sentence, and everything behind it.
import { useState } from 'preact/hooks'
import { boot } from '../../boot'
import { useApi } from '../../api'
import { CopyButton, Id, Time } from '../../components/bits'
import { Tabs } from '../../components/controls'
import { RouteChip, wayOf } from '../../components/route'
import { Await } from '../../components/states'
import { params, setParams } from '../../router'
import type { RequestDetail } from '../../types'
import { Content } from './content'
import { Cost } from './cost'
import { Decision } from './decision'
import { sentence } from './sentence'
import { Timeline } from './timeline'

const tabs = [
  { id: 'decision', name: 'Decision' },
  { id: 'timeline', name: 'Timeline' },
  { id: 'cost', name: 'Cost' },
  { id: 'content', name: 'Content' },
  { id: 'raw', name: 'Raw' },
]

export function Detail({ id, onClose }: { id: string; onClose?: () => void }) {
  const loaded = useApi<RequestDetail>('/requests/' + encodeURIComponent(id))
  const [local, setLocal] = useState('decision')
  const inUrl = params.value.get('tab')
  const tab = tabs.some((t) => t.id === inUrl) ? inUrl! : local
  const choose = (t: string) => {
    setLocal(t)
    setParams({ tab: t === 'decision' ? null : t }, 'replace')
  }
  return (
    <Await of={loaded} rows={8}>
      {(r) => (
        <article class="detail" aria-label={'Request ' + r.id}>
          <div class="head">
            <RouteChip way={wayOf(r)} />
            <Id id={r.id} />
            <CopyButton text={`${location.origin}/requests/${r.id}`} what="The link">Link</CopyButton>
            <CopyButton text={curl(r)} what="The command">curl</CopyButton>
            {onClose ? <button type="button" class="button small close" onClick={onClose}>Close</button> : null}
          </div>
          <p class="sentence">{sentence(r)}</p>
          <p class="meta">
            <Time at={r.time} as="moment" /> · key {r.key_name} · {r.endpoint}{r.stream ? ', streamed' : ''} · status {r.status ?? 'none'}
          </p>
          <Tabs tabs={tabs} chosen={tab} onChoose={choose} label="Parts of the request">
            {tab === 'decision' ? <Decision r={r} /> : null}
            {tab === 'timeline' ? <Timeline r={r} /> : null}
            {tab === 'cost' ? <Cost r={r} /> : null}
            {tab === 'content' ? <Content r={r} /> : null}
            {tab === 'raw' ? <pre class="content" tabIndex={0}>{JSON.stringify(r, (_, v) => (typeof v === 'bigint' ? v.toString() : v), 2)}</pre> : null}
          </Tabs>
        </article>
      )}
    </Await>
  )
}

/** The same call again, with the key left to whoever makes it. */
function curl(r: RequestDetail): string {
  const path = r.endpoint === 'embeddings' ? 'embeddings' : 'chat/completions'
  const body = (r.request ?? `{"model": ${JSON.stringify(r.requested_model)}}`).replaceAll("'", `'\\''`)
  return `curl ${boot.base_url}/${path} -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${body}'`
}
