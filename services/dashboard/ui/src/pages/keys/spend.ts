// What the keys with a budget have spent of it, by key.
import { useApi } from '../../api'
import { address } from '../../router'
import type { Key } from './key'

interface Groups {
  groups: { group: string | null; routed_nano_usd: number }[]
}

export interface Spend {
  day: Map<string, number>
  month: Map<string, number>
}

export function useSpend(keys: Key[], now = new Date()): Spend {
  const date = now.toISOString().slice(0, 10)
  const since = (wanted: boolean, from: string) => (wanted ? address('/impact', { group_by: 'key', from: `${from}T00:00:00Z` }) : null)
  const day = useApi<Groups>(since(keys.some((k) => k.budget.nano_usd_per_day > 0), date))
  const month = useApi<Groups>(since(keys.some((k) => k.budget.nano_usd_per_month > 0), `${date.slice(0, 7)}-01`))
  return { day: byKey(day.data), month: byKey(month.data) }
}

const byKey = (of: Groups | undefined): Map<string, number> => new Map((of?.groups ?? []).map((g) => [g.group ?? '', g.routed_nano_usd]))
