// An account in the list of accounts, and the order of the list.
import type { Nano } from '../../api'
import type { Limits, Spent } from '../../limits'

export interface ListedAccount {
  id: string
  name: string
  operator: boolean
  created_at: string | null
  /** The limits of all keys together. */
  limits: Limits
  spent: { day: Spent; month: Spent }
}

export const accountURL = (id: string): string => '/accounts/' + encodeURIComponent(id)

export const sorts: Record<string, (a: ListedAccount, b: ListedAccount) => number> = {
  month: (a, b) => compareAmounts(b.spent.month.nano_usd, a.spent.month.nano_usd),
  day: (a, b) => compareAmounts(b.spent.day.nano_usd, a.spent.day.nano_usd),
  name: (a, b) => a.name.localeCompare(b.name),
  created: (a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? ''),
}

const compareAmounts = (a: Nano, b: Nano): number => (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0)

/** The accounts whose name or id contains the text, in the given order. */
export function selectAccounts(all: ListedAccount[], text: string, sort: string): ListedAccount[] {
  const wanted = text.trim().toLowerCase()
  return all.filter((a) => a.name.toLowerCase().includes(wanted) || a.id.includes(wanted)).sort(sorts[sort] ?? sorts.month)
}
