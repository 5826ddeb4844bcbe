import { ErrorBox } from '../../components/states'
import type { PagedList } from './pagedlist'

/** The button that loads the next page of a list, and the error if that fails. */
export function LoadMore<T, R>({ list, what }: { list: PagedList<T, R>; what: string }) {
  return (
    <>
      {list.error ? <ErrorBox error={list.error} onRetry={list.loadMore ?? undefined} /> : null}
      {list.loadMore && !list.error ? <div><button type="button" class="button" disabled={list.busy} onClick={list.loadMore}>{list.busy ? 'Loading…' : `Load more ${what}`}</button></div> : null}
    </>
  )
}
