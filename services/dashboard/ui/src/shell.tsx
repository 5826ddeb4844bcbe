// The frame around every page: top bar, navigation, toasts and dialogs.
import { useState } from 'preact/hooks'
import { boot } from './boot'
import { copyToClipboard } from './components/basics'
import { Dialog } from './components/controls'
import { ErrorBoundary } from './components/errorboundary'
import { TrackGlyph } from './components/route'
import { findPage, type Page, pages } from './nav'
import { Palette } from './palette'
import { currentPath, navigate } from './router'
import { enableShortcuts, shortcuts, shortcutsEnabled, useShortcuts } from './shortcuts'
import { setTheme, theme, type Theme } from './theme'
import { toastText } from './toast'

export function Shell() {
  const [help, setHelp] = useState(false)
  const [search, setSearch] = useState(false)
  useShortcuts([
    { key: '?', description: 'Show keyboard shortcuts', run: () => setHelp(true) },
    { key: 'Ctrl+K', description: 'Search pages, requests and keys', run: () => setSearch(true) },
    { key: 'y', description: 'Copy a link to this page', run: () => void copyToClipboard(location.href, 'Link') },
    ...pages.map((p) => ({ key: `g ${p.goKey}`, description: `Go to ${p.name}`, run: () => navigate(p.path) })),
  ])
  const found = findPage(currentPath.value)
  return (
    <div class="shell">
      <a class="skip" href="#main">Skip to content</a>
      <TopBar docs={found?.page.docs ?? '/docs'} onHelp={() => setHelp(true)} onSearch={() => setSearch(true)} />
      <SideNav here={found?.page} />
      <main id="main" class="main" tabIndex={-1}>
        {!found ? <PageNotFound /> : found.page.operator && !boot.operator ? <OperatorOnly name={found.page.name} /> : (
          <ErrorBoundary title={found.page.name} key={found.page.path}><found.page.component rest={found.rest} /></ErrorBoundary>
        )}
      </main>
      <div class="sr" role="status" aria-live="polite">{toastText.value}</div>
      {toastText.value ? <div class="toast" aria-hidden="true">{toastText.value}</div> : null}
      <ShortcutHelp open={help} onClose={() => setHelp(false)} />
      <Palette open={search} onClose={() => setSearch(false)} />
    </div>
  )
}

function TopBar({ docs, onHelp, onSearch }: { docs: string; onHelp: () => void; onSearch: () => void }) {
  return (
    <header class="top">
      <a class="brand" href="/"><TrackGlyph kind="fallback" />Signalbox</a>
      <span class="account" title={boot.user?.email}>{boot.account?.name}</span>
      <button type="button" class="button jump" onClick={onSearch}>
        <svg viewBox="0 0 14 14" aria-hidden="true"><circle cx="6" cy="6" r="4.2" /><path d="M9.2 9.2 13 13" /></svg>
        <span class="words">Search pages, requests and keys</span><kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <a class="button quiet" href={docs} title="Documentation of this page">Docs</a>
      <button type="button" class="button quiet" onClick={onHelp} aria-label="Keyboard shortcuts" title="Keyboard shortcuts">?</button>
      <ThemeButton />
      <form method="post" action="/logout"><button class="button quiet" type="submit">Sign out</button></form>
    </header>
  )
}

const nextTheme: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const themeIcons: Record<Theme, string> = { system: '◐', light: '○', dark: '●' }

function ThemeButton() {
  const now = theme.value
  return (
    <button type="button" class="button quiet" aria-label={`Theme: ${now}. Change to ${nextTheme[now]}.`} title={`Theme: ${now}`} onClick={() => setTheme(nextTheme[now])}>
      {themeIcons[now]}
    </button>
  )
}

/** How many links a phone shows before the others are opened. */
const phoneLinks = 4

function SideNav({ here }: { here: Page | undefined }) {
  const [openAt, setOpenAt] = useState('') // the path at which the other links were opened
  const open = openAt === currentPath.value
  const shown = pages.slice(0, phoneLinks)
  if (here && !shown.includes(here)) shown[phoneLinks - 1] = here
  return (
    <nav class={open ? 'side open' : 'side'} aria-label="Pages">
      {(['', 'Build', 'Operate'] as const).map((group) => {
        const list = pages.filter((p) => p.group === group)
        return list.length === 0 ? null : (
          <div key={group}>
            {group ? <h2>{group}</h2> : null}
            <ul>{list.map((p) => <li key={p.path} class={shown.includes(p) ? '' : 'rest'}><a href={p.path} aria-current={p === here ? 'page' : undefined}>{p.name}</a></li>)}</ul>
          </div>
        )
      })}
      <button type="button" class="more" aria-expanded={open} onClick={() => setOpenAt(open ? '' : currentPath.value)}>{open ? 'Less' : 'More'}</button>
    </nav>
  )
}

function PageNotFound() {
  return (
    <>
      <h1 tabIndex={-1}>Page not found</h1>
      <p>There is no page at this address. Choose one from the navigation, or <a href="/">go to the overview</a>.</p>
    </>
  )
}

function OperatorOnly({ name }: { name: string }) {
  return (
    <>
      <h1 tabIndex={-1}>{name}</h1>
      <p>Only users of the operator account can open this page. If you need access, ask an operator.</p>
    </>
  )
}

function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <label class="check"><input type="checkbox" checked={shortcutsEnabled.value} onChange={(e) => enableShortcuts(e.currentTarget.checked)} /> Enable single-key shortcuts</label>
        <dl class="facts">
          {shortcuts.value.map((k) => [<dt key={k.key}><kbd>{k.key}</kbd></dt>, <dd key={k.key + '-'}>{k.description}</dd>])}
        </dl>
        <p class="meta">Signalbox {boot.version}</p>
      </div>
    </Dialog>
  )
}
