// Every page: its place in the navigation, its key and what draws it. A new
// page is a folder in pages and a line here.
import type { ComponentType } from 'preact'
import { boot } from './boot'
import { shortId } from './format'
import { lazy } from './lazy'
import { AccountPage } from './pages/account/account'
import { Impact } from './pages/impact/impact'
import { Keys } from './pages/keys/keys'
import { Overview } from './pages/overview/overview'
import { Providers } from './pages/providers/providers'
import { Requests } from './pages/requests/requests'
import { Start } from './pages/start/start'
import { System } from './pages/system/system'

export interface Page {
  path: string
  name: string
  group: '' | 'Build' | 'Operate'
  /** The second key after g. */
  key: string
  draw: ComponentType<{ rest: string }>
  /** For people of the operator's account alone. */
  operator?: true
}

const all: Page[] = [
  { path: '/', name: 'Overview', group: '', key: 'o', draw: Overview },
  { path: '/requests', name: 'Requests', group: '', key: 'r', draw: Requests },
  { path: '/impact', name: 'Impact', group: '', key: 'i', draw: Impact },
  { path: '/start', name: 'Start', group: 'Build', key: 'n', draw: Start },
  { path: '/keys', name: 'Keys', group: 'Build', key: 'k', draw: Keys },
  { path: '/providers', name: 'Providers', group: 'Operate', key: 'p', draw: Providers, operator: true },
  { path: '/policy', name: 'Policy', group: 'Operate', key: 'l', draw: lazy('Policy', async () => (await import('./pages/policy/policy')).Policy), operator: true },
  { path: '/system', name: 'System', group: 'Operate', key: 's', draw: System, operator: true },
  { path: '/account', name: 'Account', group: 'Operate', key: 'a', draw: AccountPage },
]

/** The pages that this reader may see. */
export const pages: Page[] = all.filter((p) => !p.operator || boot.operator)

/** The page of a path, whether or not the reader may see it, and what follows its name: /requests/{id} is of /requests. */
export function find(path: string): { page: Page; rest: string } | null {
  for (const page of all) {
    if (path === page.path) return { page, rest: '' }
    if (page.path !== '/' && path.startsWith(page.path + '/')) return { page, rest: path.slice(page.path.length + 1) }
  }
  return null
}

/** What the browser calls a path in its tabs and its history. */
export function title(path: string): string {
  const found = find(path)
  const name = !found ? 'No such page' : found.rest === '' ? found.page.name : `${found.page.name.replace(/s$/, '')} ${shortId(found.rest)}`
  return `${name} · Signalbox`
}
