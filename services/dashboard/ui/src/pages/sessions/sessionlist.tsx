// The sessions of agents: what each piece of work cost.
import { useEffect, useState } from 'preact/hooks'
import { Time } from '../../components/basics'
import { Money } from '../../components/money'
import { RangePicker } from '../../components/rangepicker'
import { Await, EmptyState } from '../../components/states'
import { escapeInvisible, formatCount, pluralize, shortenId } from '../../format'
import { rangeQuery, useFixedRange } from '../../range'
import { sessionURL } from '../../requestlinks'
import { buildURL, params, setParams } from '../../router'
import { useShortcuts } from '../../shortcuts'
import { CacheShare } from './cache'
import { LoadMore } from './loadmore'
import { usePagedList } from './pagedlist'
import { formatSpan } from './span'
import type { Session, SessionPage } from './types'

/** The range of the page if the URL has none. */
const defaultSessionRange = '7d'

const filterNames = ['search', 'agent', 'user'] as const

export function SessionList() {
  const r = useFixedRange(defaultSessionRange)
  const sort = params.value.get('sort') === 'cost' ? 'cost' : 'time'
  const filters = Object.fromEntries(filterNames.map((n) => [n, params.value.get(n)]))
  const list = usePagedList<Session, SessionPage>(buildURL('/sessions', { ...rangeQuery(r), ...filters, sort: sort === 'cost' ? 'cost' : null }), (d) => d)
  return (
    <>
      <div class="line sessiontools">
        <nav class="by" aria-label="Order">
          <a href={buildURL('/sessions', { ...allParams(), sort: null })} aria-current={sort === 'time' ? 'true' : undefined}>Last used</a>
          <a href={buildURL('/sessions', { ...allParams(), sort: 'cost' })} aria-current={sort === 'cost' ? 'true' : undefined}>Most expensive</a>
        </nav>
        <RangePicker defaultRange={defaultSessionRange} />
      </div>
      <Search />
      <Await of={list.first}>
        {() => list.items.length === 0 ? <NoSessions filtered={filterNames.some((n) => filters[n])} /> : (
          <>
            <SessionTable sessions={list.items} />
            <LoadMore list={list} what="sessions" />
          </>
        )}
      </Await>
    </>
  )
}

const allParams = (): Record<string, string> => Object.fromEntries(params.value)

const fieldNames: Record<(typeof filterNames)[number], string> = { search: 'Session ID', agent: 'Client', user: 'User' }
const placeholders: Record<(typeof filterNames)[number], string> = { search: 'any part of it', agent: 'claude-code', user: 'ann' }

/** Selects sessions by a part of the id, by client and by user. */
function Search() {
  const given = () => Object.fromEntries(filterNames.map((n) => [n, params.value.get(n) ?? ''])) as Record<(typeof filterNames)[number], string>
  const [typed, setTyped] = useState(given())
  const inURL = filterNames.map((n) => params.value.get(n)).join('\n')
  useEffect(() => setTyped(given()), [inURL])
  useShortcuts([{ key: '/', description: 'Search sessions', run: () => document.getElementById('session-search')?.focus() }])
  const submit = (e: Event) => {
    e.preventDefault()
    setParams(Object.fromEntries(filterNames.map((n) => [n, typed[n].trim() || null])))
  }
  return (
    <form class="sessionsearch" role="search" onSubmit={submit}>
      {filterNames.map((n) => (
        <label key={n}>
          <span class="meta">{fieldNames[n]}</span>
          <input id={'session-' + n} type="search" value={typed[n]} placeholder={placeholders[n]} spellcheck={false} autocomplete="off" maxLength={200} onInput={(e) => setTyped({ ...typed, [n]: e.currentTarget.value })} />
        </label>
      ))}
      <button class="button" type="submit">Search</button>
    </form>
  )
}

function NoSessions({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <EmptyState title="No matching sessions">
        <p>No session in this range matches the search.</p>
        <button type="button" class="button" onClick={() => setParams({ search: null, agent: null, user: null })}>Clear the search</button>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No sessions in this range">
      <p>A session groups the requests of one piece of work of an agent. Coding agents such as Claude Code and Codex identify their sessions. Other clients can send the header <code>X-Signalbox-Session</code>.</p>
      <a class="button" href="/docs/dashboard#sessions">Read about sessions</a>
    </EmptyState>
  )
}

export function SessionTable({ sessions }: { sessions: Session[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
      <table class="table sessions">
        <thead>
          <tr>
            <th scope="col">Session</th><th scope="col">Client</th><th scope="col" title="The user of the newest request that named one. Requests of a session can have several users.">Last user</th><th scope="col">Last used</th><th scope="col" class="num" title="The requests of the conversation. Side calls, such as the request for a title, count separately.">Turns</th>
            <th scope="col" class="num">Errors</th><th scope="col" class="num">Cost</th><th scope="col" class="num">Saved</th><th scope="col" class="num">From cache</th>
          </tr>
        </thead>
        <tbody>{sessions.map((s) => <SessionRow key={s.id} s={s} />)}</tbody>
      </table>
    </div>
  )
}

function SessionRow({ s }: { s: Session }) {
  const id = escapeInvisible(s.id)
  return (
    <tr>
      <td class="which"><a class="mono" href={sessionURL(s.id)} title={id}>{shortenId(id)}</a></td>
      <td class="agent">{s.agent ? escapeInvisible(s.agent) : <span class="soft">unknown</span>}</td>
      <td class="enduser">{s.user ? <bdi title={escapeInvisible(s.user)}>{shortenId(escapeInvisible(s.user))}</bdi> : <span class="soft">—</span>}</td>
      <td class="used"><Time at={s.ended} as="relative" /> {s.requests > 1 && <span class="meta">lasted {formatSpan(s)}</span>}</td>
      <td class="num turns">{formatCount(s.turns)}{s.side_calls > 0 ? <span class="meta"> + {pluralize(s.side_calls, 'side call')}</span> : null}</td>
      <td class="num errors">{s.errors > 0 ? <span class="lost">{formatCount(s.errors)}</span> : <span class="soft">0</span>}</td>
      <td class="num cost"><Money nano={s.cost_nano_usd} /></td>
      <td class="num saved-of"><Money nano={s.saved_nano_usd} signed /></td>
      <td class="num cache"><CacheShare percent={s.cache_hit_percent} /></td>
    </tr>
  )
}
