// Budgets that are used up for the most part, of keys and of the account.
import type { Nano } from '../../api'
import { useUsage, type Usage } from '../../limits'
import { ratio } from '../../money'

export interface NearLimit {
  /** The key's; null for all of the account. */
  id: string | null
  name: string
  /** In percent. */
  used: number
  spent: Nano
  limit: number
  span: 'today' | 'this month'
}

/** From this part on, in percent, somebody should know. */
const near = 80

export function useNearLimits(): NearLimit[] {
  const all = useUsage().data
  return all ? [...of(all.account, null, ''), ...all.keys.filter((k) => k.state === 'active').flatMap((k) => of(k, k.id, k.name))] : []
}

function of(u: Usage, id: string | null, name: string): NearLimit[] {
  const spans = [['today', u.spent.day, u.limits.nano_usd_per_day], ['this month', u.spent.month, u.limits.nano_usd_per_month]] as const
  return spans
    .map(([span, spent, limit]) => ({ id, name, span, spent: spent.nano_usd, limit, used: limit > 0 ? (ratio(spent.nano_usd, limit) ?? 0) : 0 }))
    .filter((n) => n.used >= near)
}
