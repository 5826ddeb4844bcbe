// Saved views: names for a filter, a range, an order and columns. A private view is seen by
// its author, a shared one by all users of the account.
import { useState } from 'preact/hooks'
import { callApi, refresh, useApi } from '../../api'
import { boot } from '../../boot'
import { Popover } from '../../components/controls'
import { Form, TextField } from '../../components/fields'
import { Await } from '../../components/states'
import { escapeInvisible } from '../../format'
import { useMutation } from '../../mutation'
import { hasRole } from '../../role'
import { params } from '../../router'
import { showToast } from '../../toast'
import { viewQuery } from './viewquery'

interface View {
  id: string
  name: string
  query: string
  shared: boolean
  author: string
  own: boolean
}

export function Views() {
  const [opened, setOpened] = useState(false)
  const views = useApi<{ items: View[] }>(opened ? '/views' : null)
  const now = viewQuery(params.value)
  const active = views.data?.items.find((v) => v.query === now)
  return (
    <Popover content={active ? escapeInvisible(active.name) : 'Views'} label={active ? `View: ${escapeInvisible(active.name)}` : 'Views'} onOpen={() => setOpened(true)}>
      <div class="stack views">
        <Await of={views} rows={2}>
          {({ items }) => (
            <>
              <ViewList title="Private" views={items.filter((v) => !v.shared)} now={now} />
              <ViewList title={`Shared in ${boot.account.name}`} views={items.filter((v) => v.shared)} now={now} />
            </>
          )}
        </Await>
        <SaveView query={now} />
      </div>
    </Popover>
  )
}

function ViewList({ title, views, now }: { title: string; views: View[]; now: string }) {
  const change = useMutation()
  if (views.length === 0) return null
  const remove = (v: View) => void change.run(async () => {
    await callApi('DELETE', '/views/' + encodeURIComponent(v.id))
    await refresh('/views')
    showToast('View deleted')
  })
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {views.map((v) => (
          <li key={v.id} class="line">
            <a href={'/requests' + (v.query ? '?' + v.query : '')} aria-current={v.query === now ? 'true' : undefined} title={v.own ? undefined : `Saved by ${v.author}`} onClick={(e) => e.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}>{escapeInvisible(v.name)}</a>
            {v.own || hasRole('owner') ? <button type="button" class="button small quiet" aria-label={`Delete view ${v.name}`} title="Delete" disabled={change.busy} onClick={() => remove(v)}>✕</button> : null}
          </li>
        ))}
      </ul>
      {change.error ? <p class="lost" role="alert">{change.error.message}</p> : null}
    </section>
  )
}

function SaveView({ query }: { query: string }) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const change = useMutation()
  const save = () => void change.run(async () => {
    await callApi('POST', '/views', { name, query, shared })
    await refresh('/views')
    setName('')
    showToast('View saved')
  })
  return (
    <Form onSubmit={save} error={change.error} fieldParams={['name']}>
      <TextField label="Save this view as" value={name} onChange={setName} error={change.error?.details.param === 'name' ? change.error.message : undefined} />
      {hasRole('member') ? <label class="check"><input type="checkbox" checked={shared} onChange={(e) => setShared(e.currentTarget.checked)} /> Share with the account</label> : null}
      <button type="submit" class="button" disabled={change.busy || name.trim() === ''}>Save view</button>
    </Form>
  )
}
