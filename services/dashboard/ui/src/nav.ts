// Every page: its path, its position in the navigation, its shortcut and its
// component. To add a page, add a folder in pages and a line here.
import type { ComponentType } from 'preact'
import { boot } from './boot'
import { shortenId } from './format'
import { lazyPage } from './lazy'
import { Impact } from './pages/impact/impact'
import { Keys } from './pages/keys/keys'
import { Overview } from './pages/overview/overview'
import { Requests } from './pages/requests/requests'
import { Sessions } from './pages/sessions/sessions'
import { Start } from './pages/start/start'
import { decodePath } from './router'

export interface Page {
  path: string
  name: string
  group: '' | 'Build' | 'Operate'
  /** The second key of the shortcut that opens the page. The first key is g. */
  goKey: string
  component: ComponentType<{ rest: string }>
  /** The section of the documentation about the page. */
  docs: string
  /** Only for users of the operator's account. */
  operator?: true
}

const allPages: Page[] = [
  { path: '/', name: 'Overview', group: '', goKey: 'o', docs: '/docs/dashboard#overview', component: Overview },
  { path: '/requests', name: 'Requests', group: '', goKey: 'r', docs: '/docs/dashboard#requests', component: Requests },
  { path: '/sessions', name: 'Sessions', group: '', goKey: 'e', docs: '/docs/dashboard#sessions', component: Sessions },
  { path: '/impact', name: 'Impact', group: '', goKey: 'i', docs: '/docs/dashboard#impact', component: Impact },
  { path: '/spend', name: 'Spend', group: '', goKey: 'd', docs: '/docs/dashboard#spend', component: lazyPage('Spend', async () => (await import('./pages/spend/spend')).Spend) },
  { path: '/errors', name: 'Errors', group: '', goKey: 'x', docs: '/docs/dashboard#errors', component: lazyPage('Errors', async () => (await import('./pages/errors/errors')).Errors) },
  { path: '/alerts', name: 'Alerts', group: '', goKey: 'b', docs: '/docs/alerts', component: lazyPage('Alerts', async () => (await import('./pages/alerts/alerts')).Alerts) },
  { path: '/quality', name: 'Quality', group: '', goKey: 'q', docs: '/docs/quality', component: lazyPage('Quality', async () => (await import('./pages/quality/quality')).Quality) },
  { path: '/start', name: 'Start', group: 'Build', goKey: 'n', docs: '/docs/getting-started', component: Start },
  { path: '/playground', name: 'Playground', group: 'Build', goKey: 'y', docs: '/docs/dashboard#playground', component: lazyPage('Playground', async () => (await import('./pages/playground/playground')).Playground) },
  { path: '/keys', name: 'Keys', group: 'Build', goKey: 'k', docs: '/docs/security#keys', component: Keys },
  { path: '/models', name: 'Models', group: 'Build', goKey: 'm', docs: '/docs/dashboard#models', component: lazyPage('Models', async () => (await import('./pages/models/models')).Models) },
  { path: '/providers', name: 'Providers', group: 'Operate', goKey: 'p', docs: '/docs/providers', component: lazyPage('Providers', async () => (await import('./pages/providers/providers')).Providers), operator: true },
  { path: '/policy', name: 'Policy', group: 'Operate', goKey: 'l', docs: '/docs/policy', component: lazyPage('Policy', async () => (await import('./pages/policy/policy')).Policy), operator: true },
  { path: '/system', name: 'System', group: 'Operate', goKey: 's', docs: '/docs/operations#health', component: lazyPage('System', async () => (await import('./pages/system/system')).System), operator: true },
  { path: '/accounts', name: 'All accounts', group: 'Operate', goKey: 'c', docs: '/docs/dashboard#all-accounts', component: lazyPage('All accounts', async () => (await import('./pages/accounts/accounts')).Accounts), operator: true },
  { path: '/account', name: 'Account', group: 'Operate', goKey: 'a', docs: '/docs/security#accounts-and-roles', component: lazyPage('Account', async () => (await import('./pages/account/account')).AccountPage) },
]

/** The pages that this user may open. */
export const pages: Page[] = allPages.filter((p) => !p.operator || boot.operator)

/** Returns the page of a path, and the rest of the path, such as the id in /requests/{id}. It also finds pages that the user may not open. */
export function findPage(path: string): { page: Page; rest: string } | null {
  for (const page of allPages) {
    if (path === page.path) return { page, rest: '' }
    if (page.path !== '/' && path.startsWith(page.path + '/')) return { page, rest: path.slice(page.path.length + 1) }
  }
  return null
}

/** The document title of a path. */
export function pageTitle(path: string): string {
  const found = findPage(path)
  const name = !found ? 'Page not found' : found.rest === '' ? found.page.name : `${found.page.path === '/accounts' ? 'Account' : found.page.name.replace(/s$/, '')} ${shortenId(decodePath(found.rest))}`
  return `${name} · Signalbox`
}
