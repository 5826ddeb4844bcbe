// The list of problems that need attention: nearly used budgets, errors, many
// fallbacks, unknown prices and losses. Each line links to its requests.
import type { ComponentChildren } from 'preact'
import { useApiWithPrevious } from '../../api'
import { Time } from '../../components/basics'
import { Total } from '../../components/money'
import { type RouteKind, TrackGlyph } from '../../components/route'
import { Await } from '../../components/states'
import { addTerm } from '../../filter'
import { escapeInvisible, pluralize } from '../../format'
import { formatPercent } from '../../money'
import { defaultRange } from '../../range'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Items, Request } from '../../types'
import type { Group, ImpactData } from '../impact/types'
import { type NearLimit, useNearLimits } from './nearlimits'
import type { Period, Scope } from './types'

interface AttentionItem {
  /** The drawing and the color of the line. */
  glyph: RouteKind
  message: ComponentChildren
  filter: string
}

/** The page warns if at least this percentage of requests used a fallback. */
const fallbackWarnPercent = 5

/** The maximum number of listed error codes. */
const maxCodes = 5

export function Attention({ now, scope, query }: { now: Period; scope: Scope; query: Record<string, string | null> }) {
  const failures = useApiWithPrevious<ImpactData>(buildURL('/impact', { group_by: 'code', filter: addTerm(scope.filter, 'has:error'), ...query }))
  const near = useNearLimits()
  return (
    <section class="stack" aria-labelledby="attention">
      <div class="line"><h2 id="attention">Needs attention</h2><a href={buildURL('/errors', { range: scope.range === defaultRange ? null : scope.range })}>Explain errors</a></div>
      <Await of={failures} rows={2}>
        {(f) => <AttentionList all={[...budgetItems(near), ...failureItems(f.groups, scope.filter, query), ...routingItems(now, scope.filter)]} range={scope.range} />}
      </Await>
    </section>
  )
}

function AttentionList({ all, range }: { all: AttentionItem[]; range: string }) {
  if (all.length === 0) return <p class="soft">Nothing needs attention: no errors, few fallbacks, no unknown prices, no extra cost, and no budget that is nearly used up.</p>
  return (
    <ul class="matters">
      {all.map((m, i) => (
        <li key={i} class={m.glyph}><TrackGlyph kind={m.glyph} /><span>{m.message}</span><a class="button small" href={requestsURL(m.filter, range)}>View requests</a></li>
      ))}
    </ul>
  )
}

/** Errors by code, the most frequent first. */
function failureItems(groups: Group[], filter: string, query: Record<string, string | null>): AttentionItem[] {
  return groups.filter((g) => !g.other).slice(0, maxCodes).flatMap(({ group: code, requests }) => {
    const narrowed = narrowFilter(filter, 'code', code)
    if (narrowed === null) return []
    const at = code === null ? addTerm(narrowed, 'has:error') : narrowed
    return [{ glyph: 'error' as const, message: <><b class="mono">{escapeInvisible(code ?? 'No error code')}</b>: {pluralize(requests, 'request')}<LastSeen filter={at} query={query} /></>, filter: at }]
  })
}

/** When the newest request that matches the filter was sent. */
function LastSeen({ filter, query }: { filter: string; query: Record<string, string | null> }) {
  const newest = useApiWithPrevious<Items<Request>>(buildURL('/requests', { filter, ...query, limit: '1' })).data?.items[0]
  return newest ? <>, last seen <Time at={newest.time} as="relative" /></> : null
}

function budgetItems(near: NearLimit[]): AttentionItem[] {
  return near.flatMap((n) => {
    const filter = n.id === null ? '' : narrowFilter('', 'key', n.id)
    const owner = n.id === null ? 'The account' : <>Key <b>{escapeInvisible(n.name)}</b></>
    return filter === null ? [] : [{ glyph: 'policy' as const, message: <>{owner} has spent <Total nano={n.spent} /> {n.period}, {n.used > 100 ? 'more than' : n.used === 100 ? 'all of' : `${formatPercent(n.used)} of`} its <Total nano={n.limit} /> {n.period === 'today' ? 'daily' : 'monthly'} limit</>, filter }]
  })
}

function routingItems(now: Period, filter: string): AttentionItem[] {
  const part = (100 * now.fallback) / now.requests
  const list: (AttentionItem | null)[] = [
    part < fallbackWarnPercent ? null : { glyph: 'fallback', message: <>{formatPercent(part)} of requests used a fallback: the first choice failed or was unavailable, or the router made no decision</>, filter: narrowFilter(filter, 'route', 'fallback') ?? '' },
    now.unpriced === 0 ? null : { glyph: 'policy', message: <>{pluralize(now.unpriced, 'request')} without a known price: savings unknown, not included in the sums</>, filter: addTerm(filter, 'is:unpriced') },
    BigInt(now.saved_nano_usd) >= 0n ? null : { glyph: 'policy', message: <>With routing you paid <Total nano={-BigInt(now.saved_nano_usd)} /> more than with the default model</>, filter: addTerm(filter, 'saved:<0') },
  ]
  return list.filter((m) => m !== null)
}
