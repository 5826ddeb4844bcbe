// The order of the request list, as the URL has it.
import { params, setParams } from '../../router'

export interface Sort {
  /** What the list is sorted by. */
  by: string
  ascending: boolean
}

const newestFirst: Sort = { by: 'time', ascending: false }

/** The order in the URL. */
export function currentSort(): Sort {
  const by = params.value.get('sort')
  return by ? { by, ascending: params.value.get('order') === 'asc' } : newestFirst
}

export const isNewestFirst = (s: Sort): boolean => s.by === 'time' && !s.ascending

/** The parameters of an order, for the URL of the page and of the API. */
export const sortParams = (s: Sort): Record<'sort' | 'order', string | null> =>
  isNewestFirst(s) ? { sort: null, order: null } : { sort: s.by, order: s.ascending ? 'asc' : null }

/** Sorts the list and shows its start. */
export function setSort(s: Sort): void {
  setParams(sortParams(s))
  document.querySelector('.requests .vlist')?.scrollTo(0, 0)
}

/** The order after a click on a column: the largest first, then the smallest first, then newest first. */
export function nextSort(now: Sort, by: string): Sort {
  if (now.by !== by) return { by, ascending: false }
  return now.ascending ? newestFirst : { by, ascending: true }
}
