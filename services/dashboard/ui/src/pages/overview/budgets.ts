// Keys that have used up most of what they may spend.
import { useApi } from '../../api'
import { ratio } from '../../money'
import { address } from '../../router'
import type { Items } from '../../types'
import type { ImpactData } from '../impact/impact'

interface Key {
  id: string
  name: string
  state: string | null
  budget: { nano_usd_per_day: number; nano_usd_per_month: number }
}

export interface NearLimit {
  id: string
  name: string
  /** In percent. */
  used: number
  limit: number
  span: 'today' | 'this month'
}

/** From this part on, in percent, somebody should know. */
const near = 80

/** Budgets count days and months of UTC. */
export function useNearLimits(): NearLimit[] {
  const keys = (useApi<Items<Key>>('/keys').data?.items ?? []).filter((k) => k.state === 'active')
  const now = new Date().toISOString()
  const day = useSpent(keys.some((k) => k.budget.nano_usd_per_day > 0) ? now.slice(0, 10) : null)
  const month = useSpent(keys.some((k) => k.budget.nano_usd_per_month > 0) ? now.slice(0, 8) + '01' : null)
  return keys.flatMap((k) => [
    { id: k.id, name: k.name, span: 'today' as const, limit: k.budget.nano_usd_per_day, used: part(day, k.id, k.budget.nano_usd_per_day) },
    { id: k.id, name: k.name, span: 'this month' as const, limit: k.budget.nano_usd_per_month, used: part(month, k.id, k.budget.nano_usd_per_month) },
  ]).filter((n) => n.used >= near)
}

/** What each key has spent since a day. */
function useSpent(since: string | null): ImpactData | undefined {
  return useApi<ImpactData>(since && address('/impact', { group_by: 'key', from: since })).data
}

function part(spent: ImpactData | undefined, key: string, limit: number): number {
  const group = spent?.groups.find((g) => g.group === key)
  return group && limit > 0 ? (ratio(group.routed_nano_usd, limit) ?? 0) : 0
}
