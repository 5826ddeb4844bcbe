// What the search dialog finds: pages by name or synonym, requests by id, sessions by the
// start of their id, and keys and models by a part of their name.
import { boot } from './boot'
import { escapeInvisible } from './format'
import { pages } from './nav'
import type { Key } from './pages/keys/key'
import type { Session } from './pages/sessions/types'
import { narrowFilter, requestsURL, sessionURL } from './requestlinks'
import { buildURL } from './router'

export interface Destination {
  name: string
  to: string
}

/** What the dialog has loaded. */
export interface Searchable {
  keys: Pick<Key, 'id' | 'name' | 'prefix'>[]
  models: { id: string; name: string | null; aliases: string[] }[]
  sessions: Pick<Session, 'id' | 'started' | 'ended'>[]
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The start of every API key (pkg/apikey) and every API token. */
const secretPrefix = 'sbx_'

/** Whether the text is a pasted key. A search would put it into a URL, where logs and the browser's history keep it. */
const isSecret = (typed: string): boolean => typed.toLowerCase().startsWith(secretPrefix)

/** Whether sessions are searched for the text. */
export const maySearchSessions = (typed: string): boolean => typed.length >= 2 && !isSecret(typed)

/** How many keys, models or sessions are listed. */
const maxListed = 5

/** Pages below the page Account. They are found by name, and are not listed before the user types. */
const accountPages: Destination[] = [
  { name: 'Account limits', to: '/account#limits' }, { name: 'Account budgets', to: '/account/budgets' }, { name: 'People', to: '/account/people' },
  { name: 'Invites', to: '/account/invites' }, { name: 'Sign-ins and password', to: '/account/sign-ins' }, { name: 'API tokens', to: '/account/tokens' }, { name: 'Audit log', to: '/account/audit' },
]

/** What operators do on a page. It is found by name, too. */
const operatorActions: Destination[] = [{ name: 'Add a local model', to: '/providers?local=1' }]

/** Other words for a page. */
const synonyms: Record<string, string> = {
  '/requests': 'log traffic history', '/sessions': 'conversations runs agents', '/impact': 'savings saved', '/spend': 'budgets costs forecast billing',
  '/errors': 'failures rejected', '/alerts': 'notifications channels webhook slack', '/quality': 'ratings feedback', '/start': 'getting started setup',
  '/playground': 'try prompt', '/keys': 'api keys', '/models': 'catalog prices', '/providers': 'health credentials', '/policy': 'rules routes routing',
  '/system': 'health status', '/accounts': 'tenants', '/account/people': 'users roles', '/account/sign-ins': 'sessions', '/account#limits': 'budget rate limits', '/account': 'settings retention', '/providers?local=1': 'ollama vllm lm studio llama.cpp',
}

/** The destinations that match the text, the pages first. */
export function findDestinations(text: string, all: Searchable): Destination[] {
  const typed = text.trim(), lower = typed.toLowerCase()
  if (uuid.test(typed)) return [{ name: `Request ${typed}`, to: `/requests/${typed.toLowerCase()}` }, ...findSessions(typed, all)]
  const found = findPages(lower)
  if (typed.length >= 2) {
    found.push(...findSessions(typed, all))
    found.push(...all.models.filter((m) => matchesModel(m, lower)).slice(0, maxListed).map((m) => ({ name: `Model ${escapeInvisible(m.id)}`, to: buildURL('/models', { q: m.id, show: 'all' }) })))
    found.push(...all.keys.filter((k) => matchesKey(k, typed)).slice(0, maxListed).map((k) => ({ name: `Key ${escapeInvisible(k.name)} (${k.prefix}…)`, to: '/keys/' + k.id })))
  }
  if (isSecret(typed)) found.push({ name: 'All keys', to: '/keys' })
  else if (typed !== '') found.push({ name: `Search requests for “${typed}”`, to: buildURL('/requests', { q: JSON.stringify(typed) }) })
  return found
}

/**
 * The destination to select when the user has typed. While the search for requests is the only
 * one, none is selected, so that a better one that loads later becomes the first.
 */
export const selectFirst = (list: Destination[]): string | null => (list.length > 1 ? list[0]!.to : null)

/** The index of the selected destination. Destinations that load later can move it. */
export const findSelected = (list: Destination[], to: string | null): number => Math.max(0, list.findIndex((d) => d.to === to))

/** Pages whose name contains the text, then those with a synonym that starts with it. */
function findPages(lower: string): Destination[] {
  const top = pages.map((p) => ({ name: p.name, to: p.path }))
  if (lower === '') return top
  const every = [...top, ...accountPages, ...(boot.operator ? operatorActions : [])]
  const named = every.filter((p) => p.name.toLowerCase().includes(lower))
  return [...named, ...every.filter((p) => !named.includes(p) && lower.length >= 2 && ` ${synonyms[p.to] ?? ''}`.includes(' ' + lower))]
}

/** The page of each session whose id starts with the text, and the requests of the session with exactly this id. */
function findSessions(typed: string, all: Searchable): Destination[] {
  const found = all.sessions.filter((s) => s.id.toLowerCase().startsWith(typed.toLowerCase())).slice(0, maxListed)
  return found.flatMap((s) => {
    const filter = s.id === typed ? narrowFilter('', 'session', s.id) : null
    const opened = { name: `Session ${escapeInvisible(s.id)}`, to: sessionURL(s.id) }
    return filter === null ? [opened] : [opened, { name: `Requests of session ${escapeInvisible(s.id)}`, to: requestsURL(filter, sessionRange(s)) }]
  })
}

/** The range of a session's requests. Its end excludes requests at that time. */
const sessionRange = (s: Searchable['sessions'][number]): string => `${new Date(s.started).toISOString()}..${new Date(Date.parse(s.ended) + 1000).toISOString()}`

const matchesModel = (m: Searchable['models'][number], lower: string): boolean => [m.id, m.name ?? '', ...m.aliases].some((n) => n.toLowerCase().includes(lower))

/** Whether the text is part of the key's name, the start of its prefix, or the key itself. */
const matchesKey = (k: Searchable['keys'][number], typed: string): boolean => k.name.toLowerCase().includes(typed.toLowerCase()) || k.prefix.startsWith(typed) || typed.startsWith(k.prefix)
