// How good the responses of each model are, by kind of task, with intervals and counts.
import { useApi } from '../../api'
import { boot } from '../../boot'
import { RangePicker } from '../../components/rangepicker'
import { Await, EmptyState } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { rangeQuery, useFixedRange } from '../../range'
import { buildURL } from '../../router'
import { Rollouts } from '../policy/rollouts'
import { signalName } from '../request/evidence'
import { ExperimentResults } from './experiments'
import { Frontier } from './frontier'
import { type Estimate, formatEstimate, missingData, type QualityReport, type QualityRow, topKinds } from './report'
import type { Setup } from './setup'

const defaultQualityRange = '30d'

export function Quality() {
  const report = useApi<QualityReport>(buildURL('/quality', rangeQuery(useFixedRange(defaultQualityRange))))
  const setup = useApi<Setup>(boot.operator ? '/policy/experiments' : null).data
  return (
    <>
      <div class="line pagetools"><RangePicker defaultRange={defaultQualityRange} /></div>
      <Await of={report}>{(r) => (r.items.length === 0 ? <NoEvidence /> : <Table report={r} />)}</Await>
      {boot.operator ? <Frontier /> : null}
      <ExperimentResults defaultRange={defaultQualityRange} setup={setup} />
      {setup ? <Rollouts active={setup.version} /> : null}
    </>
  )
}

function NoEvidence() {
  return (
    <EmptyState title="No responses in this range">
      <p>Signalbox examines every response for signs of trouble. Rate responses in the panel of a request, or send feedback from your application.</p>
      <a class="button" href="/docs/quality">Send feedback</a>
    </EmptyState>
  )
}

function Table({ report }: { report: QualityReport }) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Quality by model and kind of task">
        <table class="table quality">
          <thead><tr><th scope="col">Model</th><th scope="col">Kind of task</th><th scope="col">Feedback</th><th scope="col" class="num">Rated</th><th scope="col" title="The mean over all responses. A response counts 1 minus the weight of its strongest signal.">Score by signals</th><th scope="col" class="num">Responses</th><th scope="col">Signals</th></tr></thead>
          <tbody>{report.items.map((row) => <Row key={row.model + '\n' + (row.task ?? '')} row={row} />)}</tbody>
        </table>
      </div>
      <div class="soft stack">
        <p>The intervals in parentheses contain all true values with a probability of {(100 * report.confidence).toFixed(0)} %, however often you look at them. The range covers whole days (UTC).</p>
        <p>Feedback measures only the responses that were rated, and signals only obvious faults. If you compare many models, the best figure is partly luck: wait until the intervals no longer overlap. <a href="/docs/quality">How quality is measured</a></p>
      </div>
    </>
  )
}

function Row({ row }: { row: QualityRow }) {
  return (
    <tr class={row.task === null ? 'total' : undefined}>
      <th scope="row">{row.task === null ? <bdi>{escapeInvisible(row.model)}</bdi> : <span class="sr">{escapeInvisible(row.model)}</span>}</th>
      <td>{row.task === null ? 'All' : escapeInvisible(row.task)}</td>
      <Cell of={row.feedback} what="ratings" />
      <td class="num">{formatCount(row.feedback.count)}</td>
      <Cell of={row.signals} what="responses" />
      <td class="num">{formatCount(row.signals.count)}</td>
      <td>{topKinds(row.signals.kinds).map(([kind, n]) => <div key={kind}>{formatCount(n)} × {signalName(kind)}</div>)}</td>
    </tr>
  )
}

function Cell({ of, what }: { of: Estimate; what: string }) {
  const missing = missingData(of, what)
  return missing ? <td><div class="meta">{missing}</div></td> : <td>{formatEstimate(of)}</td>
}
