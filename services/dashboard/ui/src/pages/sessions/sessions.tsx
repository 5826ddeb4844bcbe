// The sessions of agents. The code of the list and of one session is loaded on demand.
import { lazyPage } from '../../lazy'
import { decodePath } from '../../router'

const List = lazyPage('Sessions', async () => (await import('./sessionlist')).SessionList)
const One = lazyPage('Session', async () => (await import('./session')).SessionPage)

export function Sessions({ rest }: { rest: string }) {
  return rest ? <One key={rest} rest={decodePath(rest)} /> : <List rest="" />
}
