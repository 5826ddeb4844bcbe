// What routing kept against the default model, over time and by what it went to.
import { useLast } from '../../api'
import { KeptWords, triple } from '../../components/kept'
import { Total } from '../../components/money'
import { Nothing } from '../../components/nothing'
import { QueryBar } from '../../components/querybar'
import { RangePicker } from '../../components/rangepicker'
import { Await } from '../../components/states'
import { plural } from '../../format'
import { perThousand, totals } from '../../money'
import { query, range } from '../../range'
import { address, params } from '../../router'
import { rowsAt } from '../../rows'
import type { Sums } from '../../types'
import { add } from '../../words'
import { Breakdown } from './breakdown'
import { Cumulative } from './cumulative'
import { groupings } from './groups'
import { How } from './how'
import { Losses } from './losses'

/** Sums of what the records of a group have in common; null is nothing. */
export interface Group extends Sums {
  group: string | null
  name?: string
  /** Takes up the smallest groups. */
  other?: boolean
}

export interface ImpactData extends Sums {
  from: string
  to: string | null
  groups: Group[]
  step_seconds: number
  series: (Sums & { time: string })[]
}

/** How far back the page looks unless it is told. */
const usual = '30d'

export function Impact() {
  const r = range(usual)
  const filter = params.value.get('q') ?? ''
  const by = groupings.find((g) => g.by === params.value.get('by')) ?? groupings[0]!
  const asked = { group_by: by.by, filter, ...query(r) }
  const loaded = useLast<ImpactData>(address('/impact', asked))
  const scope = { filter, range: r.text }
  const wrongFilter = loaded.error?.details.param === 'filter'
  return (
    <>
      <div class="pagehead">
        <h1 tabIndex={-1}>Impact</h1>
        <RangePicker usual={usual} />
        <a class="button" href={'/api/v1' + address('/impact', { ...asked, format: 'csv' })} download>CSV</a>
      </div>
      <QueryBar error={loaded.error} />
      {wrongFilter ? null : (
        <Await of={loaded}>
          {(d) => d.requests === 0 ? <Nothing /> : (
            <>
              <Headline data={d} scope={scope} />
              <Cumulative data={d} />
              <Breakdown data={d} by={by} scope={scope} />
              <Losses scope={scope} query={query(r)} />
              <How scope={scope} query={query(r)} />
            </>
          )}
        </Await>
      )}
    </>
  )
}

function Headline({ data: d, scope }: { data: ImpactData; scope: { filter: string; range: string } }) {
  const text = totals(triple(d))
  return (
    <div class="stack">
      <p class="headline large">
        The default model would have cost <Total nano={d.baseline_nano_usd} as={text.baseline} />, routing cost <Total nano={d.routed_nano_usd} as={text.routed} />: <KeptWords of={d} />.
      </p>
      <p class="soft">
        <a href={rowsAt(scope.filter, scope.range)}>{plural(d.requests, 'request')}</a>
        {BigInt(d.kept_nano_usd) > 0n ? `, ${perThousand(d.kept_nano_usd, d.requests - d.unpriced)} kept per 1,000` : ''}
        {d.unpriced > 0 ? <>; <a href={rowsAt(add(scope.filter, 'is:unpriced'), scope.range)}>{plural(d.unpriced, 'request')} without a known price</a> {d.unpriced === 1 ? 'is' : 'are'} not in what was kept</> : null}.
      </p>
    </div>
  )
}
