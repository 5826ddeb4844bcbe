// The rules of the policy in the order in which they are read, with the requests that each of
// them decided.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Loadable, useApiWithPrevious } from '../../api'
import { CostPart } from '../../components/money'
import { RangePicker } from '../../components/rangepicker'
import { SavedCell, toCostTriple } from '../../components/savings'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { currentRange, rangeQuery } from '../../range'
import { requestsURL } from '../../requestlinks'
import { buildURL } from '../../router'
import { useLiveCheck } from './check'
import { FloorButton, FloorDialog } from './floorform'
import { type Mover, useMover } from './mover'
import { describeAction, describeConditions, findMark, groupByRoute, joinFigures, linksTo, type Mark, narrows, ruleKey } from './rules'
import type { Rule, RuleList } from './types'
import type { Work } from './work'

/** The range of the figures if the URL has none. It is long, so that a rare rule does not look unused. */
const defaultRuleRange = '30d'

/** Shows the rules of a draft, or those of the active document. */
export function Rules({ work, document }: { work: Work; document: string }) {
  const range = currentRange(defaultRuleRange)
  const active = useRules(buildURL('/policy/rules', rangeQuery(range)), document)
  return (
    <section class="stack" aria-labelledby="rules">
      <div class="line"><h2 id="rules">Rules</h2><RangePicker defaultRange={defaultRuleRange} /></div>
      <p class="soft">Signalbox reads the rules of a route from the top. The first rule that applies decides. The figures count the requests of all accounts. Links open those of your account.</p>
      <Await of={active}>{({ items, isCounted }) => (
        <>
          {!isCounted && active.loading ? <p class="sr" role="status">Loading figures</p> : null}
          {isCounted && items.length > 0 && items.every((r) => !r.figures) ? <p role="status">The requests of this time range could not be counted in time. Choose a shorter range to see the figures.</p> : null}
          <RuleTables active={items} work={work} range={range.text} />
          <p class="meta">A rule that only narrows the candidates counts a request if it excluded the first choice.</p>
        </>
      )}</Await>
    </section>
  )
}

/**
 * Loads the rules of the active document with their figures. Counting requests can take seconds, and a part that loads
 * hides what follows it. So the rules are shown without figures first, and the editor below them can be used.
 */
export function useRules(path: string, document: string): Loadable<{ items: Rule[]; isCounted: boolean }> {
  const counted = useApiWithPrevious<RuleList>(path)
  const early = useLiveCheck(counted.data ? null : document).last
  const data = counted.data ? { items: counted.data.items, isCounted: true } : early ? { items: early.rules, isCounted: false } : undefined
  return { ...counted, data, loadedAt: counted.loadedAt || Date.now() }
}

function RuleTables({ active, work, range }: { active: Rule[]; work: Work; range: string }) {
  const own = work.draft ? (work.check.last?.rules ?? []) : []
  const rules = own.length > 0 ? joinFigures(own, active) : active
  const known = new Map(active.map((r) => [ruleKey(r), r.text]))
  const mover = useMover(work)
  if (rules.length === 0) return <p>The document has no rules.</p>
  return (
    <>
      {own.length > 0 ? <p role="status"><b>These are the rules of your draft, not of the active policy.</b> The figures are those of the active rules.</p> : null}
      {groupByRoute(rules).map((g) => (
        <div key={g.route} class="stack">
          <h3>Route <bdi>{escapeInvisible(g.route)}</bdi></h3>
          <div class="scroll" tabIndex={0} role="region" aria-label={`Rules of ${g.route}`}>
            <table class="table rules">
              <thead><tr><th scope="col">Position</th><th scope="col">Rule</th><th scope="col">When</th><th scope="col">Action</th><th scope="col" class="num">Requests</th><th scope="col" class="num">Cost</th><th scope="col" class="num">Saved</th></tr></thead>
              <tbody>
                {g.rules.map((r) => <RuleRow key={ruleKey(r)} of={r} count={g.rules.length} mark={findMark(r, work.check.last?.problems ?? [], known.get(ruleKey(r)))} range={range} mover={mover} onGo={work.go} />)}
              </tbody>
            </table>
          </div>
        </div>
      ))}
      <p class="sr" role="status">{mover.message}</p>
      {mover.error}
      <FloorDialog rules={rules} active={active} work={work} />
    </>
  )
}

function RuleRow({ of: r, count, mark, range, mover, onGo }: { of: Rule; count: number; mark: Mark | null; range: string; mover: Mover; onGo: Work['go'] }) {
  const [over, setOver] = useState(false)
  const f = r.figures
  const link = (content: ComponentChildren) => (r.filter && linksTo(f) === 'all' ? <a href={requestsURL(r.filter, range)}>{content}</a> : content)
  return (
    <tr
      class={[mark?.kind === 'dead' || mark?.kind === 'unused' ? 'unused' : '', over ? 'over' : ''].join(' ').trim() || undefined}
      onKeyDown={(e) => mover.onKey(e, r, count)} onDragOver={(e) => setOver(mover.allowDrop(e, r))} onDragLeave={() => setOver(false)} onDrop={(e) => { setOver(false); mover.onDrop(e, r, count) }}
    >
      <td class="order">{mover.enabled && count > 1 ? <OrderButtons of={r} count={count} mover={mover} /> : r.index + 1}</td>
      <th scope="row">
        <button type="button" class="linklike" title={`Line ${r.line}`} onClick={() => onGo({ line: r.line, column: 1 })}><bdi>{escapeInvisible(r.name ?? `Rule ${r.index + 1}`)}</bdi></button>
        {mark ? <MarkChip of={mark} onGo={onGo} /> : null}
      </th>
      <td>{escapeInvisible(describeConditions(r))}</td>
      <td>{escapeInvisible(describeAction(r))}{mover.enabled ? <FloorButton of={r} /> : null}</td>
      <td class="num">
        {f ? link(formatCount(f.requests)) : '—'}
        {f && r.filter && linksTo(f) === 'some' ? <div class="meta"><a href={requestsURL(r.filter, range)}>{formatCount(f.account_requests)} in your account</a></div> : null}
      </td>
      <td class="num">{f ? link(<CostPart of={toCostTriple(f)} which="routed" />) : '—'}</td>
      <td class="num">{f ? link(narrows(r) && f.requests === 0 ? '—' : <SavedCell of={f} />) : '—'}</td>
    </tr>
  )
}

function MarkChip({ of: m, onGo }: { of: Mark; onGo: Work['go'] }) {
  const tone = m.kind === 'dead' || m.kind === 'problem' ? 'chip error' : 'chip plain'
  return m.at ? <button type="button" class={tone} title={escapeInvisible(m.at.message)} onClick={() => onGo(m.at!)}>{m.text}</button> : <span class={tone}>{m.text}</span>
}

function OrderButtons({ of: r, count, mover }: { of: Rule; count: number; mover: Mover }) {
  const name = escapeInvisible(r.name ?? `rule ${r.index + 1}`)
  return (
    <span class="line" draggable onDragStart={(e) => mover.onDragStart(e, r)}>
      <span class="grip" aria-hidden="true" title="Drag to another position">⠿</span>
      <button type="button" class="button small" id={mover.buttonId(r, 'up')} aria-label={`Move ${name} up`} title="Alt+↑" aria-disabled={r.index === 0} onClick={() => mover.move(r, r.index - 1, count, 'up')}>↑</button>
      <button type="button" class="button small" id={mover.buttonId(r, 'down')} aria-label={`Move ${name} down`} title="Alt+↓" aria-disabled={r.index === count - 1} onClick={() => mover.move(r, r.index + 1, count, 'down')}>↓</button>
    </span>
  )
}
