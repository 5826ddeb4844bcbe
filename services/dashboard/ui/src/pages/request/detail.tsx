// One request: what happened in a sentence, and everything behind it.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { copy, CopyButton, Id, Time } from '../../components/bits'
import { Tabs } from '../../components/controls'
import { RouteChip, wayOf } from '../../components/route'
import { Await } from '../../components/states'
import { separated, visible } from '../../format'
import { useKeys } from '../../keys'
import { params, setParams } from '../../router'
import type { RequestDetail } from '../../types'
import { Content } from './content'
import { Cost } from './cost'
import { curl, whole } from './curl'
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
  useKeys([{ key: 'c', does: 'copy the request as a curl command', run: () => loaded.data && void copy(curl(loaded.data), said(loaded.data)) }], [loaded.data])
  return (
    <Await of={loaded} rows={8}>
      {(r) => (
        <article class="detail" aria-label={'Request ' + r.id}>
          <div class="head">
            <RouteChip way={wayOf(r)} />
            <Id id={r.id} />
            <span class="acts">
              <CopyButton text={`${location.origin}/requests/${r.id}`} what="The link">Link</CopyButton>
              <CopyButton text={curl(r)} what={said(r)}>curl</CopyButton>
              {onClose ? <button type="button" class="button small" aria-label="Close" title="Close (Escape)" onClick={onClose}>✕</button> : null}
            </span>
          </div>
          <p class="sentence">{separated(visible(sentence(r)))}</p>
          <p class="meta">
            <Time at={r.time} as="moment" /> · key <bdi>{visible(r.key_name)}</bdi> · {r.endpoint}{r.stream ? ', streamed' : ''} · status {r.status ?? 'none'}{r.code ? <> <span class="mono">{r.code}</span></> : null}
          </p>
          <Tabs tabs={tabs} chosen={tab} onChoose={choose} label="Parts of the request">
            {tab === 'decision' ? <Decision r={r} /> : null}
            {tab === 'timeline' ? <Timeline r={r} /> : null}
            {tab === 'cost' ? <Cost r={r} /> : null}
            {tab === 'content' ? <Content r={r} /> : null}
            {tab === 'raw' ? <pre class="content" tabIndex={0}>{visible(JSON.stringify(r, (_, v) => (typeof v === 'bigint' ? v.toString() : v), 2))}</pre> : null}
          </Tabs>
        </article>
      )}
    </Await>
  )
}

const said = (r: RequestDetail): string => (whole(r) ? 'The command' : 'The command, with an example in place of the text,')
