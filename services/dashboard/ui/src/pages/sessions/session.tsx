// One session: its sums, the cost of each turn, and why each model was chosen.
import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import { CopyableId, Duration, Time } from '../../components/basics'
import { CostPart, Money, requestCosts, Total } from '../../components/money'
import { RouteChip, routeKind } from '../../components/route'
import { Await } from '../../components/states'
import { formatNumbersIn, escapeInvisible, formatCount, formatModel, formatTokens, pluralize } from '../../format'
import { formatPercent } from '../../money'
import { narrowFilter, requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import type { Request } from '../../types'
import { CacheShare } from './cache'
import { CostChart } from './costchart'
import { LoadMore } from './loadmore'
import { usePagedList } from './pagedlist'
import { formatSpan } from './span'
import { buildTurns, type Turn } from './turns'
import type { SessionDetail } from './types'
import { namedUsers } from './users'

const pageSize = '100'

export function SessionPage({ rest: id }: { rest: string }) {
  const list = usePagedList<Request, SessionDetail>(buildURL('/sessions/' + encodeURIComponent(id), { limit: pageSize }), (d) => d.timeline)
  const turns = useMemo(() => buildTurns(list.items), [list.first.data, list.items.length])
  return (
    <Await of={list.first} rows={8}>
      {(s) => (
        <>
          <Summary s={s} users={namedUsers(s, list.items)} complete={list.loadMore === null} />
          <CostChart turns={turns} />
          <Timeline turns={turns} />
          <LoadMore list={list} what="requests" />
        </>
      )}
    </Await>
  )
}

export function Summary({ s, users, complete }: { s: SessionDetail; users: string[]; complete: boolean }) {
  const filter = narrowFilter('', 'session', s.id)
  return (
    <div class="stack">
      <p class="line"><CopyableId id={s.id} full /><a class="button small" href="/sessions">All sessions</a>{filter === null ? null : <a class="button small" href={requestsURL(filter, `${s.started}..`)}>View as requests</a>}</p>
      <p class="headline">
        {pluralize(s.turns, 'turn')}{s.side_calls > 0 ? ` and ${pluralize(s.side_calls, 'side call')}` : ''} cost <b><Total nano={s.cost_nano_usd} /></b>, <SavedPhrase s={s} />.
      </p>
      <dl class="facts">
        <dt>Client</dt><dd>{s.agent ? <a href={buildURL('/sessions', { agent: s.agent })}>{escapeInvisible(s.agent)}</a> : 'Unknown'}</dd>
        <dt>{users.length > 1 ? 'Users' : 'User'}</dt>
        <dd>
          {users.length === 0 ? 'Not named by the client' : users.map((u, i) => <Fragment key={u}>{i > 0 ? ', ' : ''}<a href={buildURL('/sessions', { user: u })}>{escapeInvisible(u)}</a></Fragment>)}
          {users.length > 1 && !complete ? <span class="soft"> in the requests loaded below</span> : null}
        </dd>
        <dt>Time</dt><dd><Time at={s.started} as="moment" /> – <Time at={s.ended} as="moment" /> ({formatSpan(s)})</dd>
        <dt>Read from cache</dt><dd>{s.cache_hit_percent === null ? '—' : `${formatPercent(s.cache_hit_percent)} of the input tokens`}</dd>
        <dt>Errors</dt><dd>{s.errors > 0 ? <span class="lost">{pluralize(s.errors, 'request')} failed</span> : 'None'}{s.unpriced > 0 ? `; ${pluralize(s.unpriced, 'request')} without a known price` : ''}</dd>
      </dl>
    </div>
  )
}

function SavedPhrase({ s }: { s: SessionDetail }) {
  const saved = BigInt(s.saved_nano_usd)
  if (saved === 0n) return <>as much as with the default model</>
  return saved > 0n ? <><b class="saved"><Total nano={saved} /></b> less than with the default model</> : <><b class="lost"><Total nano={-saved} /></b> more than with the default model</>
}

function Timeline({ turns }: { turns: Turn[] }) {
  return (
    <section class="stack" aria-labelledby="timeline-head">
      <h2 id="timeline-head">Timeline</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Turns and side calls">
        <table class="table turns">
          <thead>
            <tr>
              <th scope="col">Turn</th><th scope="col">Time</th><th scope="col">Model and decision</th><th scope="col" class="num">Tokens</th><th scope="col" class="num">From cache</th>
              <th scope="col" class="num">Cost</th><th scope="col" class="num">Total so far</th><th scope="col" class="num">Saved</th><th scope="col" class="num">Duration</th>
            </tr>
          </thead>
          <tbody>{turns.map((t) => <TurnRow key={t.request.id} t={t} />)}</tbody>
        </table>
      </div>
    </section>
  )
}

export function TurnRow({ t }: { t: Turn }) {
  const r = t.request
  const input = r.tokens.input + r.tokens.cache_read + r.tokens.cache_write
  const cacheLabel = `${formatCount(r.tokens.cache_read)} tokens read from the cache, ${formatCount(r.tokens.cache_write)} written to it, ${formatCount(r.tokens.input)} others`
  return (
    <tr class={t.changedFrom ? 'changed' : t.number === null ? 'sidecall' : ''}>
      <td class="number">{t.number ?? <span class="soft">side call</span>}</td>
      <td class="when"><Time at={r.time} /></td>
      <td class="decided">
        <span class="line"><a href={'/requests/' + r.id}>{r.model ? <>{formatModel(r)} <span class="soft">@ {r.provider}</span></> : escapeInvisible(r.requested_model)}</a><RouteChip kind={routeKind(r)} /></span>
        {t.changedFrom ? <b class="change">Model changed from {t.changedFrom.model}{t.changedFrom.provider === r.provider ? '' : ` @ ${t.changedFrom.provider}`}</b> : null}
        <span class="meta">{r.code ? <span class="mono lost">{r.code} </span> : null}{formatNumbersIn(escapeInvisible(r.reason.text))}</span>
      </td>
      <td class="num tokens">{formatTokens(input)} → {formatTokens(r.tokens.output)}</td>
      <td class="num cache"><CacheShare percent={t.cached} label={cacheLabel} /></td>
      <td class="num cost"><CostPart of={requestCosts(r)} which="routed" /><span class="bar" aria-hidden="true"><span ref={(el) => { if (el) el.style.width = `${t.share * 100}%` }} /></span></td>
      <td class="num sofar"><Money nano={t.total} /></td>
      <td class="num saved-of"><CostPart of={requestCosts(r)} which="saved" /></td>
      <td class="num took"><Duration us={r.latency_us} /></td>
    </tr>
  )
}
