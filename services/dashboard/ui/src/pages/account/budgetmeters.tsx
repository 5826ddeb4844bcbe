import { UsageBar } from '../../components/basics'
import { escapeInvisible } from '../../format'
import { keyNamesById, useLimitUsage } from '../../limits'
import { formatExact, formatShare, formatTotal, percentOf } from '../../money'
import { type Budget, describeMember, type Meter } from './budget'

/** What the members of a group budget have spent of it. */
export function BudgetMeterList({ of: b, meters }: { of: Budget; meters: Meter[] }) {
  const used = useLimitUsage()
  const names = used.data ? keyNamesById(used.data) : new Map<string, string>()
  return (
    <dl class="meters">
      {meters.map((m) => {
        const member = describeMember(b, m, names)
        return (
          <div key={m.window + member}>
            <dt>{escapeInvisible(member ? `${member}, ${m.phrase}` : m.phrase)}</dt>
            <dd class="figure">
              <span class="spend">
                <span>{formatTotal(m.spent)} <span class="soft">of {formatTotal(m.limit)}</span></span>
                <UsageBar used={percentOf(m.spent, m.limit) ?? 0} of={100} label={`${formatExact(m.spent)} of ${formatExact(m.limit)} ${m.phrase}`} />
              </span>
            </dd>
            <dd class="meta">{formatShare(m.spent, m.limit)} used{m.window === 'total' ? ' · does not reset' : ''}</dd>
          </div>
        )
      })}
    </dl>
  )
}
