// One request: a summary sentence, and tabs with the details.
import { useEffect, useState } from 'preact/hooks'
import { useApi } from '../../api'
import { CopyableId, copyToClipboard, Time } from '../../components/basics'
import { Tabs } from '../../components/controls'
import { RouteChip, routeKind } from '../../components/route'
import { Await } from '../../components/states'
import { formatNumbersIn, escapeInvisible } from '../../format'
import { LoadFailed } from '../../lazy'
import { navigate, params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import type { RequestDetail } from '../../types'
import { Client } from './client'
import { Decision } from './decision'
import { summarizeRequest } from './summary'

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
  const further = useFurther()
  const inUrl = params.value.get('tab')
  const tab = tabs.some((t) => t.id === inUrl) ? inUrl! : local
  const selectTab = (t: string) => {
    setLocal(t)
    setParams({ tab: t === 'decision' ? null : t }, 'replace')
  }
  useShortcuts([
    { key: 'c', description: 'Copy the request as a curl command', run: () => loaded.data && further && void copyToClipboard(further.buildCurlCommand(loaded.data), 'Command', further.curlNote(loaded.data)) },
    { key: 'x', description: 'Compare the request with another one', run: () => further?.markOrCompare(id, navigate) },
  ], [loaded.data, further, id])
  return (
    <Await of={loaded} rows={8}>
      {(r) => (
        <article class="detail" aria-label={'Request ' + r.id}>
          <div class="head">
            <RouteChip kind={routeKind(r)} />
            <CopyableId id={r.id} />
            {onClose ? <button type="button" class="button small close" aria-label="Close" title="Close (Escape)" onClick={onClose}>✕</button> : null}
            <span class="acts">{further ? <further.Actions r={r} /> : null}</span>
          </div>
          <p class="sentence">{formatNumbersIn(escapeInvisible(summarizeRequest(r)))}</p>
          <p class="meta">
            <Time at={r.time} as="moment" /> · key <bdi>{escapeInvisible(r.key_name)}</bdi> · {r.endpoint}{r.stream ? ', streaming' : ''} · status {r.status ?? 'none'}{r.code ? <> <span class="mono">{r.code}</span></> : null}
          </p>
          <Client r={r} />
          {further ? <><further.Feedback r={r} /><further.Compared r={r} /></> : further === undefined && r.model ? <div class="feedbackspace" /> : null}
          <Tabs tabs={tabs} selected={tab} onSelect={selectTab} label="Request details">
            {tab === 'decision' ? <Decision r={r} /> : null}
            {further && tab === 'timeline' ? <further.Timeline r={r} /> : null}
            {further && tab === 'cost' ? <further.Cost r={r} /> : null}
            {further && tab === 'content' ? <further.Content r={r} /> : null}
            {further === null && ['timeline', 'cost', 'content'].includes(tab) ? <LoadFailed /> : null}
            {tab === 'raw' ? <pre class="content" tabIndex={0}>{escapeInvisible(JSON.stringify(r, (_, v) => (typeof v === 'bigint' ? v.toString() : v), 2))}</pre> : null}
          </Tabs>
        </article>
      )}
    </Await>
  )
}

type Further = typeof import('./further')

let loadedFurther: Further | undefined

/** The parts whose code is loaded with the first request that is opened: undefined until then, null if it cannot be loaded. */
function useFurther(): Further | null | undefined {
  const [further, setFurther] = useState<{ is: Further | null | undefined }>({ is: loadedFurther })
  useEffect(() => {
    if (!loadedFurther) void import('./further').then((m) => setFurther({ is: (loadedFurther = m) }), () => setFurther({ is: null }))
  }, [])
  return further.is
}
