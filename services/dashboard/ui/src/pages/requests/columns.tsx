// The columns of the request list: their content, their width, and whether they
// are shown by default.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Duration, Time } from '../../components/basics'
import { CostPart, requestCosts } from '../../components/money'
import { RouteChip, routeKind } from '../../components/route'
import { escapeInvisible, formatModel, formatTokens, gatewayTimeMeaning, pluralize, shortenId, shortZoneName } from '../../format'
import type { Request } from '../../types'

export interface Column {
  id: string
  name: string
  /** The column heading, if it differs from the name. */
  heading?: () => string
  /** The tooltip of the heading. */
  explanation?: string
  /** The minimum width in pixels. */
  minWidth: number
  /** The share of the free space that the column takes. */
  grow?: number
  /** true aligns to the right. amount also leaves space for extra decimals, so that decimal points line up. */
  align?: true | 'amount'
  shownByDefault: boolean
  /** What the API sorts by for this column. */
  sort?: string
  render: (r: Request) => ComponentChildren
  /** The tooltip of a cell whose content may not fit. */
  title?: (r: Request) => string
}

// A wide screen shows more columns, with more space between them.
const isWide = innerWidth >= 1600
const growFactor = isWide ? 1 : 0
// The name of a rule needs space. On a laptop the codes in the next column need it more, and a narrow screen scrolls.
const routeWidth = innerWidth >= 1100 && innerWidth < 1400 ? 128 : 170

export const columns: Column[] = [
  { id: 'time', name: 'Time', heading: () => `Time, ${shortZoneName()}`, minWidth: 84, shownByDefault: true, sort: 'time', render: (r) => <Time at={r.time} /> },
  { id: 'route', name: 'Route', explanation: 'How the request was served', minWidth: routeWidth, grow: 1, shownByDefault: true, render: (r) => <RouteChip kind={routeKind(r)} detail={describeRoute(r)} /> },
  { id: 'model', name: 'Requested → served', minWidth: isWide ? 270 : 216, grow: 3, shownByDefault: true, render: renderModel, title: describeModel },
  { id: 'status', name: 'Status', minWidth: 40, shownByDefault: true, align: true, render: (r) => r.status ?? '—' },
  { id: 'tokens', name: 'Tokens', minWidth: 96, grow: growFactor, shownByDefault: true, align: true, sort: 'tokens', render: (r) => `${formatTokens(inputTokens(r))} → ${formatTokens(r.tokens.output)}`, title: (r) => `${pluralize(inputTokens(r), 'input token')}, ${pluralize(r.tokens.output, 'output token')}` },
  { id: 'routed', name: 'Cost', minWidth: 98, grow: growFactor, shownByDefault: true, align: 'amount', sort: 'cost', render: (r) => <CostPart of={requestCosts(r)} which="routed" /> },
  { id: 'default', name: 'Cost with default model', heading: () => 'Default cost', explanation: 'What the same tokens would have cost with the default model', minWidth: 98, grow: growFactor, shownByDefault: true, align: 'amount', render: (r) => <CostPart of={requestCosts(r)} which="baseline" /> },
  { id: 'saved', name: 'Saved', minWidth: 102, grow: growFactor, shownByDefault: true, align: 'amount', sort: 'saved', render: (r) => <CostPart of={requestCosts(r)} which="saved" /> },
  { id: 'ttft', name: 'First token', minWidth: 72, grow: growFactor, shownByDefault: true, align: true, sort: 'ttft', render: (r) => <Duration us={r.ttft_us} /> },
  { id: 'total', name: 'Total time', minWidth: 54, grow: growFactor, shownByDefault: true, align: true, sort: 'latency', render: (r) => <Duration us={r.latency_us} /> },
  { id: 'key', name: 'Key', minWidth: 72, grow: growFactor, shownByDefault: true, render: (r) => escapeInvisible(r.key_name), title: (r) => escapeInvisible(r.key_name) },
  { id: 'gateway', name: 'Gateway time', explanation: gatewayTimeMeaning, minWidth: 80, grow: growFactor, shownByDefault: isWide, align: true, render: (r) => <Duration us={r.gateway_us} /> },
  { id: 'agent', name: 'Client', explanation: 'The program that sent the request', minWidth: 116, shownByDefault: false, render: (r) => r.agent ?? '' },
  { id: 'session', name: 'Session', minWidth: 150, shownByDefault: false, render: (r) => <span class="mono">{r.session ? shortenId(escapeInvisible(r.session)) : ''}</span> },
  { id: 'user', name: 'User', explanation: 'The end user that the client named', minWidth: 116, shownByDefault: false, render: (r) => escapeInvisible(r.user ?? '') },
  { id: 'protocol', name: 'Protocol', explanation: 'The wire format in which the client sent the request', minWidth: 84, shownByDefault: false, render: (r) => r.protocol },
  { id: 'code', name: 'Code', minWidth: 220, shownByDefault: false, render: (r) => <span class="mono">{r.code ?? ''}</span> },
  { id: 'id', name: 'ID', minWidth: 290, shownByDefault: false, render: (r) => <span class="mono">{r.id}</span> },
]

/** All input tokens, also those that were read from or written to a cache. */
function inputTokens({ tokens: t }: Request): number {
  return t.input + t.cache_read + t.cache_write
}

/** The column time with the day, for a list that is not in the order of time. */
export const dated = (c: Column): Column => ({ ...c, minWidth: 122, render: (r) => <Time at={r.time} as="moment" /> })

export const defaultColumns = columns.filter((c) => c.shownByDefault).map((c) => c.id)

/** The CSS class of a column's cells. */
export const cellClass = (c: Column): string => (c.align === 'amount' ? 'num amount' : c.align ? 'num' : '')

/** What a request in progress can show. The other figures are known at its end. */
const knownWhileRunning = ['time', 'route', 'model', 'total', 'key', 'agent', 'session', 'user', 'protocol', 'id']

/** The content of a cell. */
export const renderCell = (c: Column, r: Request): ComponentChildren => (r.outcome === 'running' && !knownWhileRunning.includes(c.id) ? <span class="soft" aria-hidden="true">·</span> : c.render(r))

/** The column widths as a value of grid-template-columns. */
export const gridTemplate = (list: Column[]): string => list.map((c) => (c.grow ? `minmax(${c.minWidth}px, ${c.grow}fr)` : `${c.minWidth}px`)).join(' ')

const screenWidth = signal(innerWidth)
addEventListener('resize', () => (screenWidth.value = innerWidth))

/** The columns that are left out, in this order, until the remaining columns fit. */
const dropOrder = ['gateway', 'ttft', 'key', 'status', 'tokens', 'total', 'default', 'routed', 'saved']

/** What the card of a request shows on a phone (requests.css). Other cells would only cost time. */
const cardColumns = ['time', 'route', 'model', 'saved', 'total']

/** Whether the list shows cards: on a phone, unless the URL names columns. */
export const showsCards = (hasChosenColumns: boolean): boolean => screenWidth.value < 720 && !hasChosenColumns

/** Returns the columns of a card. */
export const fitCard = (list: Column[]): Column[] => list.filter((c) => cardColumns.includes(c.id))

/** Returns the columns that fit on the page or, if a request is open, beside it. On a narrow screen it returns all columns, and the list scrolls. */
export function fitColumns(list: Column[], open: boolean): Column[] {
  if (screenWidth.value < 1100) return list
  const page = screenWidth.value - 232
  const available = open ? page - Math.max(420, (screenWidth.value - 216) * 0.4) - 10 : page
  const out = [...list]
  for (const id of dropOrder) {
    if (out.reduce((sum, c) => sum + c.minWidth + 8, 16) <= available) break
    const i = out.findIndex((c) => c.id === id)
    if (i >= 0) out.splice(i, 1)
  }
  return out
}

/** The error code, or the requested and the served model, as renderModel shows them. */
function describeModel(r: Request): string {
  const requested = escapeInvisible(r.requested_model)
  if (!r.model) return [r.code, requested].filter(Boolean).join(' ')
  return `${r.requested_model !== formatModel(r) ? `${requested} → ` : ''}${formatModel(r)} @ ${r.provider}`
}

function renderModel(r: Request): ComponentChildren {
  const requested = escapeInvisible(r.requested_model)
  if (!r.model) return <>{r.code ? <span class={r.outcome === 'client_closed' ? 'code soft' : 'code lost'}>{r.code} </span> : null}<bdi class="soft">{requested}</bdi></>
  return (
    <>
      {r.requested_model !== formatModel(r) ? <><bdi class="soft">{requested}</bdi><span class="soft"> → </span></> : null}
      {formatModel(r)} <span class="soft">@ {r.provider}</span>
    </>
  )
}

const formatOrdinal = (n: number): string => (n === 2 ? '2nd' : n === 3 ? '3rd' : `${n}th`)

/** Returns a detail to show beside the route: the outcome, the number of the last attempt, or the rule. */
function describeRoute(r: Request): string | null {
  if (r.outcome === 'client_closed') return r.route
  if (routeKind(r) === 'error') return r.outcome === 'error' ? null : r.outcome
  if (r.route === 'fallback' && r.attempts.length > 1) return formatOrdinal(r.attempts.length)
  if (r.route === 'policy' && r.reason.rule) return escapeInvisible(r.reason.rule)
  return null
}
