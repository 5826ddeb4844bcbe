import { Duration, Tokens } from '../../components/basics'
import { Total } from '../../components/money'
import { escapeInvisible, formatCount, formatQuality, formatTokens } from '../../format'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { setParams, withParams } from '../../router'
import { capabilityName, formatPrice, isFull, largestFirst, lifecycleNote, type ModelRow, sortValues, toggleCompared } from './model'

export function ModelTable({ rows, sort, ids, range }: { rows: ModelRow[]; sort: string; ids: string[]; range: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Models">
      <table class="table models">
        <thead>
          <tr>
            <th scope="col"><span class="sr">Compare</span></th><Header id="name" name="Model" sort={sort} />
            <Header id="input" name="Input" sort={sort} /><Header id="output" name="Output" sort={sort} /><Header id="context" name="Context" sort={sort} />
            <Header id="quality" name="Quality" sort={sort} /><th scope="col">Capabilities</th><th scope="col">Served by</th>
            <Header id="requests" name="Your requests" sort={sort} /><th scope="col" class="num">Cost</th><Header id="tokens" name="Tokens in / out" sort={sort} /><Header id="latency" name="Latency p50 / p95" sort={sort} />
          </tr>
        </thead>
        <tbody>{rows.map((m) => <Row key={m.id} m={m} ids={ids} range={range} />)}</tbody>
      </table>
    </div>
  )
}

function Header({ id, name, sort }: { id: string; name: string; sort: string }) {
  const on = sort === id, down = largestFirst.includes(id)
  return (
    <th scope="col" class={sortValues[id] ? 'num' : undefined} aria-sort={on ? (down ? 'descending' : 'ascending') : undefined}>
      <button type="button" onClick={() => setParams({ sort: id === 'name' ? null : id }, 'replace')}>{name}{on ? (down ? ' ↓' : ' ↑') : ''}</button>
    </th>
  )
}

function Row({ m, ids, range }: { m: ModelRow; ids: string[]; range: string }) {
  const on = ids.includes(m.id)
  const note = lifecycleNote(m, new Date().toISOString().slice(0, 10))
  const filter = m.used ? narrowFilter('', 'model', m.id) : null
  return (
    <tr class={m.served ? undefined : 'unserved'}>
      <td><input type="checkbox" aria-label={`Compare ${m.id}`} checked={on} disabled={!on && isFull(ids)} onChange={() => setParams({ compare: toggleCompared(ids, m.id).join(',') })} /></td>
      <td class="group">
        <a href={withParams({ compare: m.id })}>{escapeInvisible(m.id)}</a>{note ? <> <span class="chip plain">{note}</span></> : null}
        {m.name && m.name !== m.id ? <div class="meta">{escapeInvisible(m.name)}</div> : null}
      </td>
      <td class="num">{m.price ? formatPrice(m.price.input) : <Unknown />}</td>
      <td class="num">{m.kind === 'embeddings' ? '' : m.price ? formatPrice(m.price.output) : <Unknown />}</td>
      <td class="num">{m.context === null ? '—' : formatTokens(m.context)}</td>
      <td class="num" title={m.quality_source ?? undefined}>{m.quality.general === undefined ? '—' : formatQuality(m.quality.general)}</td>
      <td class="words">{m.kind === 'embeddings' ? 'Embeddings' : m.capabilities.map(capabilityName).join(', ') || '—'}</td>
      <td class="words">{m.served ? [...new Set(m.endpoints.map((e) => e.provider))].join(', ') : <span class="soft">Not configured ({[...new Set(m.endpoints.map((e) => e.provider))].join(', ')})</span>}</td>
      <td class="num">{m.used ? (filter === null ? formatCount(m.used.requests) : <a href={requestsURL(filter, range)}>{formatCount(m.used.requests)}</a>) : '—'}</td>
      <td class="num">{m.used ? (filter === null ? <Total nano={m.used.routed_nano_usd} /> : <a href={requestsURL(filter, range)}><Total nano={m.used.routed_nano_usd} /></a>) : '—'}</td>
      <td class="num">{m.tokens ? <><Tokens n={m.tokens.input_tokens ?? 0} /> / <Tokens n={m.tokens.output_tokens ?? 0} /></> : '—'}</td>
      <td class="num">{m.measured?.p50_us ? <><Duration us={m.measured.p50_us} /> / <Duration us={m.measured.p95_us} /></> : '—'}</td>
    </tr>
  )
}

const Unknown = () => <span class="soft" title="No known price">Unknown</span>
