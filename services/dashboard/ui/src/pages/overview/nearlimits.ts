// Finds the budgets of keys and of the account that are nearly used up.
import type { Nano } from '../../api'
import { type Usage, useLimitUsage } from '../../limits'
import { percentOf } from '../../money'

export interface NearLimit {
  /** The id of the key; null for the account. */
  id: string | null
  name: string
  /** The used share of the limit, in percent. */
  used: number
  spent: Nano
  limit: number
  period: 'today' | 'this month'
}

/** The page warns if at least this percentage of a budget is used. */
const warnPercent = 80

export function useNearLimits(): NearLimit[] {
  const all = useLimitUsage().data
  return all ? [...findNearLimits(all.account, null, ''), ...all.keys.filter((k) => k.state === 'active').flatMap((k) => findNearLimits(k, k.id, k.name))] : []
}

export function findNearLimits(u: Usage, id: string | null, name: string): NearLimit[] {
  const periods = [['today', u.spent.day, u.limits.nano_usd_per_day], ['this month', u.spent.month, u.limits.nano_usd_per_month]] as const
  return periods
    .map(([period, spent, limit]) => ({ id, name, period, spent: spent.nano_usd, limit, used: limit > 0 ? (percentOf(spent.nano_usd, limit) ?? 0) : 0 }))
    .filter((n) => n.used >= warnPercent)
}
