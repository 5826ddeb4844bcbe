// What somebody should look at, out of the same figures: nothing here is kept
// anywhere, and each line opens its requests.
import type { ComponentChildren } from 'preact'
import { useLast } from '../../api'
import { Time } from '../../components/bits'
import { TrackGlyph, type Way } from '../../components/route'
import { Total } from '../../components/money'
import { Await } from '../../components/states'
import { plural, visible } from '../../format'
import { percent } from '../../money'
import { address } from '../../router'
import { narrow, rowsAt } from '../../rows'
import type { Items, Request } from '../../types'
import { add } from '../../words'
import type { Group, ImpactData } from '../impact/impact'
import { useNearLimits, type NearLimit } from './budgets'
import type { Period, Scope } from './overview'

interface Matter {
  way: Way
  says: ComponentChildren
  filter: string
}

/** From this part on, in percent, falling back is no exception. */
const muchFallback = 5

/** How many codes are named. */
const most = 5

export function Attention({ now, scope, query }: { now: Period; scope: Scope; query: Record<string, string | null> }) {
  const failures = useLast<ImpactData>(address('/impact', { group_by: 'code', filter: add(scope.filter, 'has:error'), ...query }))
  const near = useNearLimits()
  return (
    <section class="stack" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <Await of={failures} rows={2}>
        {(f) => <Matters all={[...limited(near), ...failed(f.groups, scope.filter, query), ...other(now, scope.filter)]} range={scope.range} />}
      </Await>
    </section>
  )
}

function Matters({ all, range }: { all: Matter[]; range: string }) {
  if (all.length === 0) return <p class="soft">Nothing: no failure, every price is known, few requests fell back, and no key is near its limit.</p>
  return (
    <ul class="matters">
      {all.map((m, i) => (
        <li key={i} class={m.way}><TrackGlyph way={m.way} /><span>{m.says}</span><a class="button small" href={rowsAt(m.filter, range)}>See requests</a></li>
      ))}
    </ul>
  )
}

/** The failures by their code, the most frequent first. */
function failed(groups: Group[], filter: string, query: Record<string, string | null>): Matter[] {
  return groups.filter((g) => !g.other).slice(0, most).flatMap(({ group: code, requests }) => {
    const narrowed = narrow(filter, 'code', code)
    if (narrowed === null) return []
    const at = code === null ? add(narrowed, 'has:error') : narrowed
    return [{ way: 'error' as const, says: <><b class="mono">{visible(code ?? 'No code')}</b>: {plural(requests, 'request')}<Last filter={at} query={query} /></>, filter: at }]
  })
}

/** When it happened last. */
function Last({ filter, query }: { filter: string; query: Record<string, string | null> }) {
  const newest = useLast<Items<Request>>(address('/requests', { filter, ...query, limit: '1' })).data?.items[0]
  return newest ? <>, last <Time at={newest.time} as="relative" /></> : null
}

function limited(near: NearLimit[]): Matter[] {
  return near.flatMap((n) => {
    const filter = n.id === null ? '' : narrow('', 'key', n.id)
    const who = n.id === null ? 'The account' : <>Key <b>{visible(n.name)}</b></>
    return filter === null ? [] : [{ way: 'policy' as const, says: <>{who} has spent <Total nano={n.spent} /> {n.span}, {n.used > 100 ? 'more than' : n.used === 100 ? 'all of' : `${percent(n.used)} of`} the <Total nano={n.limit} /> that it may</>, filter }]
  })
}

function other(now: Period, filter: string): Matter[] {
  const part = (100 * now.fallback) / now.requests
  const list: (Matter | null)[] = [
    part < muchFallback ? null : { way: 'fallback', says: <>{percent(part)} of the requests fell back: the first candidate did not serve them</>, filter: narrow(filter, 'route', 'fallback') ?? '' },
    now.unpriced === 0 ? null : { way: 'policy', says: <>{plural(now.unpriced, 'request')} without a known price: what they kept is unknown, and in no sum</>, filter: add(filter, 'is:unpriced') },
    BigInt(now.kept_nano_usd) >= 0n ? null : { way: 'policy', says: <>Routing cost <Total nano={-BigInt(now.kept_nano_usd)} /> more than the default model</>, filter: add(filter, 'kept:<0') },
  ]
  return list.filter((m) => m !== null)
}
