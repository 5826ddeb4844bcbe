// The experiments and their results: pairs of models that a judge compared on real requests.
import { useState } from 'preact/hooks'
import { useApi } from '../../api'
import { boot } from '../../boot'
import { Money } from '../../components/money'
import { Await } from '../../components/states'
import { escapeInvisible, formatCount } from '../../format'
import { rangeQuery, useFixedRange } from '../../range'
import { usePolling } from '../../polling'
import { hasRole } from '../../role'
import { buildURL } from '../../router'
import { type ComparedPair, type Experiments, formatAgreement, formatDifference, verdictText, withoutVerdict } from './compared'
import { Configured, PromoteDialog, TakePart } from './manage'
import { findPromotable, type Setup } from './setup'

export function ExperimentResults({ defaultRange, setup }: { defaultRange: string; setup: Setup | undefined }) {
  const report = useApi<Experiments>(buildURL('/experiments', rangeQuery(useFixedRange(defaultRange))))
  const account = useApi<{ allow_experiments: boolean }>('/account').data
  usePolling(report.reload)
  return (
    <section class="stack" aria-labelledby="experiments">
      <h2 id="experiments">Experiments</h2>
      <p class="soft">After a client was served, a sample of its requests also goes to another model, and a judge compares both responses. Clients notice and pay nothing. <a href="/docs/quality#experiments">How experiments work</a></p>
      {account ? <TakePart on={account.allow_experiments} /> : null}
      {account && setup ? <Configured setup={setup} takesPart={account.allow_experiments} /> : null}
      <Await of={report}>{(r) => (r.items.length === 0 ? <p class="soft">No comparisons in this range.{boot.operator ? '' : ' The operator sets up experiments.'}</p> : <Pairs report={r} setup={setup} />)}</Await>
    </section>
  )
}

function Pairs({ report, setup }: { report: Experiments; setup: Setup | undefined }) {
  const [promoting, promote] = useState<ComparedPair | null>(null)
  const experiment = promoting ? findPromotable(promoting, setup) : undefined
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Experiments by pair of models and kind of task">
        <table class="table quality">
          <thead><tr><th scope="col">Experiment</th><th scope="col">Candidate against served</th><th scope="col">Kind of task</th><th scope="col">Result</th><th scope="col">Difference in points</th><th scope="col">Comparisons</th><th scope="col">Judge</th><th scope="col">Cost</th></tr></thead>
          <tbody>{report.items.map((p) => <Row key={[p.experiment, p.served, p.candidate, p.judge, p.task ?? ''].join('\n')} pair={p} onPromote={findPromotable(p, setup) && hasRole('owner') ? () => promote(p) : undefined} />)}</tbody>
        </table>
      </div>
      <div class="soft stack">
        <p>The intervals in parentheses contain all true values with a probability of {(100 * report.confidence).toFixed(0)} %, however often you look. “Not worse” means by at most {(100 * report.margin).toFixed(0)} points.</p>
        <p>Judges are biased: they prefer longer responses and their own style. With several candidates, the best figure is partly luck. The costs are not part of your spend and savings.</p>
      </div>
      {promoting && experiment && setup ? <PromoteDialog of={promoting} experiment={experiment} setup={setup} onClose={() => promote(null)} /> : null}
    </>
  )
}

function Row({ pair, onPromote }: { pair: ComparedPair; onPromote: (() => void) | undefined }) {
  return (
    <tr class={pair.task === null ? 'total' : undefined}>
      <th scope="row"><bdi>{escapeInvisible(pair.experiment)}</bdi></th>
      <td><bdi>{escapeInvisible(pair.candidate)}</bdi> against <bdi>{escapeInvisible(pair.served)}</bdi></td>
      <td>{pair.task === null ? 'All' : escapeInvisible(pair.task)}</td>
      <td>{verdictText(pair)}{onPromote ? <div><button type="button" class="button small" aria-label={`Promote ${pair.candidate}`} onClick={onPromote}>Promote…</button></div> : null}</td>
      <td class="num">{formatDifference(pair)}</td>
      <td class="num">{formatCount(pair.count)}{withoutVerdict(pair) ? <div class="meta">{withoutVerdict(pair)}</div> : null}</td>
      <td><bdi>{escapeInvisible(pair.judge)}</bdi>{pair.judge_is_compared ? <div class="meta">is one of the compared models</div> : null}<div class="meta">{formatAgreement(pair)}</div></td>
      <td class="num"><Money nano={pair.candidate_cost_nano_usd + pair.judge_cost_nano_usd} /></td>
    </tr>
  )
}
