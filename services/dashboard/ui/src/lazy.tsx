// Pages whose code is loaded when they are first opened.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from './components/states'

type Page = ComponentType<{ rest: string }>

/** Returns a page that loads its code when it is first opened. The heading renders at once and stays mounted while the code loads, because it has the focus. */
export function lazyPage(name: string, load: () => Promise<Page>): Page {
  let loaded: Page | undefined
  return function Lazy(props) {
    const [page, setPage] = useState<{ is: Page | undefined }>({ is: loaded })
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (!loaded) load().then((p) => setPage({ is: (loaded = p) }), () => setFailed(true))
    }, [])
    return (
      <>
        <div class="pagehead"><h1 tabIndex={-1}>{name}</h1></div>
        {page.is ? <page.is {...props} /> : failed ? <LoadFailed /> : <Skeleton />}
      </>
    )
  }
}

/** Returns a part of a page that loads its code when it is first rendered. Until then, and if that fails, it renders nothing: the rest of the page must make sense without it. With inFlow, what follows waits for the code, so that the part moves nothing. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, inFlow = false): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyPart(props) {
    const [part, setPart] = useState<{ is: ComponentType<P> | undefined }>({ is: loaded })
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (!loaded) load().then((p) => setPart({ is: (loaded = p) }), () => setFailed(true))
    }, [])
    return part.is ? <part.is {...props} /> : inFlow && !failed ? <div class="loading" /> : null
  }
}

/** Shown if the code cannot be loaded: the server is unreachable, or an upgrade has replaced the files. */
export function LoadFailed() {
  return (
    <div class="errorbox" role="alert">
      <p>This page could not be loaded. Signalbox may be restarting, or it may have been upgraded.</p>
      <button type="button" class="button small" onClick={() => location.reload()}>Reload the page</button>
    </div>
  )
}
