// One to four models side by side, with everything the catalog knows about them.
import type { ComponentChildren } from 'preact'
import { Duration } from '../../components/basics'
import { Total } from '../../components/money'
import { escapeInvisible, formatQuality, formatTokens, pluralize } from '../../format'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { withParams } from '../../router'
import { capabilityName, lifecycleNote, type ModelRow, toggleCompared } from './model'
import { Prices } from './prices'

type Property = [name: string, show: (m: ModelRow, range: string) => ComponentChildren]

const properties: Property[] = [
  ['Status', (m) => lifecycleNote(m, new Date().toISOString().slice(0, 10)) ?? 'Active'],
  ['Replacement', (m) => m.replacement],
  ['Released', (m) => m.released],
  ['Knowledge until', (m) => m.knowledge],
  ['In this policy', (m) => (!m.served ? 'No configured provider serves it' : m.listed ? 'Listed: routes can choose it' : 'Not listed: served if a client names it')],
  ['Aliases', (m) => <Words all={m.aliases} />],
  ['Context', (m) => (m.context === null ? null : `${formatTokens(m.context)} tokens`)],
  ['Output limit', (m) => (m.max_output === null ? null : `${formatTokens(m.max_output)} tokens`)],
  ['Prices per million tokens', (m) => <Prices of={m} />],
  ['Capabilities', (m) => <Words all={m.capabilities.map(capabilityName)} />],
  ['Not known', (m) => <Words all={m.unknown.map(capabilityName)} />],
  ['Reasoning efforts', (m) => <Words all={m.efforts} />],
  ['Quality, assumed', (m) => <Quality of={m} />],
  ['Your use', (m, range) => <Use of={m} range={range} />],
  ['Latency p50 / p95', (m) => (m.measured?.p50_us ? <><Duration us={m.measured.p50_us} /> / <Duration us={m.measured.p95_us} /> <span class="meta">at {m.measured.provider}, {pluralize(m.measured.attempts, 'attempt')}</span></> : null)],
]

export function Comparison({ models, ids, range }: { models: ModelRow[]; ids: string[]; range: string }) {
  const missing = ids.filter((id) => !models.some((m) => m.id === id))
  if (ids.length === 0) return null
  return (
    <section class="stack" aria-labelledby="comparison">
      <div class="line"><h2 id="comparison">{models.length > 1 ? `Compare ${models.length} models` : 'One model'}</h2><a class="button small" href={withParams({ compare: null })}>Close</a></div>
      {missing.length > 0 ? <p role="status">Not in the catalog: <span class="mono">{missing.map(escapeInvisible).join(', ')}</span>.</p> : null}
      {models.length === 1 ? <p class="soft">Check another model in the table to compare it.</p> : null}
      {models.length === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Comparison">
          <table class="table comparison">
            <thead>
              <tr>
                <th scope="col"><span class="sr">Property</span></th>
                {models.map((m) => <th key={m.id} scope="col"><b>{escapeInvisible(m.id)}</b>{m.name ? <div>{escapeInvisible(m.name)}</div> : null}<a href={withParams({ compare: toggleCompared(ids, m.id).join(',') })}>Remove<span class="sr"> {m.id}</span></a></th>)}
              </tr>
            </thead>
            <tbody>{properties.map(([name, show]) => <tr key={name}><th scope="row">{name}</th>{models.map((m) => <td key={m.id}>{show(m, range) || '—'}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const Words = ({ all }: { all: string[] }) => <>{all.length === 0 ? '—' : all.map(escapeInvisible).join(', ')}</>

function Quality({ of: m }: { of: ModelRow }) {
  const topics = Object.entries(m.quality).sort(([a], [b]) => (a === 'general' ? -1 : b === 'general' ? 1 : a.localeCompare(b)))
  if (topics.length === 0) return <>—</>
  return (
    <>
      <dl class="topics">{topics.map(([topic, n]) => [<dt key={topic}>{topic}</dt>, <dd key={topic + '-'} class="num">{formatQuality(n)}</dd>])}</dl>
      {m.quality_source ? <div class="meta">{m.quality_source}</div> : null}
    </>
  )
}

function Use({ of: m, range }: { of: ModelRow; range: string }) {
  const filter = narrowFilter('', 'model', m.id)
  if (!m.used) return <>None in this range</>
  const text = <>{pluralize(m.used.requests, 'request')}, <Total nano={m.used.routed_nano_usd} /></>
  return filter === null ? text : <a href={requestsURL(filter, range)}>{text}</a>
}
