// A page whose code is loaded when somebody opens it.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from './components/states'

type Page = ComponentType<{ rest: string }>

/** Its heading is there at once, and stays: it is what has the focus. */
export function lazy(name: string, load: () => Promise<Page>): Page {
  let had: Page | undefined
  return function Lazy(props) {
    const [page, setPage] = useState<{ is: Page | undefined }>({ is: had })
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (!had) load().then((p) => setPage({ is: (had = p) }), () => setFailed(true))
    }, [])
    return (
      <>
        <div class="pagehead"><h1 tabIndex={-1}>{name}</h1></div>
        {page.is ? <page.is {...props} /> : failed ? <Missing /> : <Skeleton />}
      </>
    )
  }
}

/** The server may have been away, or may be a newer one that has other files. */
function Missing() {
  return (
    <div class="errorbox" role="alert">
      <p>The code of this page could not be loaded.</p>
      <button type="button" class="button small" onClick={() => location.reload()}>Load the page anew</button>
    </div>
  )
}
