// The catalog of models: prices, limits, capabilities, quality, where they are served,
// and what this account used and measured.
import { useApi, useApiWithPrevious } from '../../api'
import { boot } from '../../boot'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount, pluralize } from '../../format'
import { currentRange, rangeQuery } from '../../range'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL, params, setParams, withParams } from '../../router'
import type { Items } from '../../types'
import type { Group, ImpactData } from '../impact/types'
import type { AttemptStats } from '../providers/endpoint'
import type { VolumeData } from '../spend/types'
import { Comparison } from './comparison'
import { type CatalogModel, comparedIds, joinModels, type ModelRow, selectModels, type Show, shows, sortModels, unpricedGroups } from './model'
import { ModelTable } from './modeltable'

const defaultRange = '30d'

const showNames: Record<Show, string> = { served: 'Served here', used: 'Used', all: 'Whole catalog' }

export function Models() {
  const r = currentRange(defaultRange)
  const models = useApi<Items<CatalogModel>>('/models?catalog=true')
  const used = useApiWithPrevious<ImpactData>(buildURL('/impact', { group_by: 'model', ...rangeQuery(r) }))
  const attempts = useApiWithPrevious<{ items: AttemptStats[] }>(buildURL('/attempts', rangeQuery(r)))
  const tokens = useApiWithPrevious<VolumeData>(buildURL('/spend/volume', { measure: 'tokens', group_by: 'model', ...rangeQuery(r) }))
  return (
    <>
      <div class="line pagetools">{boot.operator ? <a class="button" href="/providers?local=1">Add a local model</a> : null}<RangePicker defaultRange={defaultRange} /></div>
      <Await of={models} rows={10}>
        {(d) => <Catalog rows={joinModels(d.items, used.data?.groups ?? [], attempts.data?.items ?? [], tokens.data?.groups)} groups={used.data?.groups ?? []} range={r.text} />}
      </Await>
      {used.error && models.data ? <p class="soft">Your use of the models could not be loaded: {used.error.message}</p> : null}
      {tokens.error && models.data ? <p class="soft">The tokens could not be counted: {tokens.error.message} Choose a shorter range.</p> : null}
    </>
  )
}

function Catalog({ rows, groups, range }: { rows: ModelRow[]; groups: Group[]; range: string }) {
  const text = params.value.get('q') ?? '', sort = params.value.get('sort') ?? 'name'
  const show = shows.find((s) => s === params.value.get('show')) ?? 'served'
  const ids = comparedIds(params.value.get('compare'))
  const shown = sortModels(selectModels(rows, show, text), sort)
  return (
    <>
      <Unpriced groups={unpricedGroups(groups)} range={range} />
      <Comparison models={ids.flatMap((id) => rows.filter((m) => m.id === id))} ids={ids} range={range} />
      <section class="stack" aria-label="Catalog">
        <nav class="by" aria-label="Models to show">
          {shows.map((s) => <a key={s} href={withParams({ show: s === 'served' ? null : s })} aria-current={s === show ? 'true' : undefined}>{showNames[s]} ({formatCount(selectModels(rows, s, '').length)})</a>)}
        </nav>
        <form role="search" onSubmit={(e) => e.preventDefault()}>
          <label class="sr" for="model-search">Find models by name, alias, provider or capability</label>
          <input id="model-search" type="search" value={text} placeholder="Name, alias, provider or capability" autocomplete="off" spellcheck={false} onInput={(e) => setParams({ q: e.currentTarget.value }, 'replace')} />
        </form>
        {shown.length > 0 ? <ModelTable rows={shown} sort={sort} ids={ids} range={range} /> : <NoModels show={show} text={text} />}
        <p class="soft">Prices are dollars per million tokens. Select a name for prices with dates and tiers, or check two to four models to compare them. Latencies are those of your newest 1,000 requests in the range. <a href="/docs/policy#models">Where prices come from</a></p>
      </section>
    </>
  )
}

function NoModels({ show, text }: { show: Show; text: string }) {
  if (text) return <p>No model matches “{text}”. {show === 'all' ? null : <a href={withParams({ show: 'all' })}>Search the whole catalog</a>}</p>
  return <p>{show === 'used' ? 'Your requests used no model in this range.' : 'No configured provider serves a model.'}</p>
}

/** Models that served requests whose price is unknown. */
function Unpriced({ groups, range }: { groups: Group[]; range: string }) {
  if (groups.length === 0) return null
  return (
    <section class="stack" aria-labelledby="unpriced">
      <h2 id="unpriced">Seen, but without a known price</h2>
      <ul class="matters">
        {groups.map((g) => {
          const filter = narrowFilter('is:unpriced', 'model', g.group)
          return (
            <li key={g.group}>
              <span aria-hidden="true">$?</span>
              <span><b class="mono">{escapeInvisible(g.group!)}</b>: {pluralize(g.unpriced, 'request')}. Set a price in the <a href="/docs/policy#models">policy</a>, so that cost and budgets include the next ones.</span>
              {filter === null ? null : <a class="button small" href={requestsURL(filter, range)}>View requests</a>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
