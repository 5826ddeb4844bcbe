// What is around every page.
import { useState } from 'preact/hooks'
import { boot } from './boot'
import { Boundary } from './components/boundary'
import { copy } from './components/bits'
import { Dialog } from './components/controls'
import { TrackGlyph } from './components/route'
import { enable, enabled, keys, useKeys } from './keys'
import { find, pages, type Page } from './nav'
import { Palette } from './palette'
import { navigate, path } from './router'
import { said } from './say'
import { choose, theme, type Theme } from './theme'

export function Shell() {
  const [help, setHelp] = useState(false)
  const [jump, setJump] = useState(false)
  useKeys([
    { key: '?', does: 'show the keys', run: () => setHelp(true) },
    { key: 'Ctrl+K', does: 'go to a page or a request', run: () => setJump(true) },
    { key: 'y', does: 'copy a link to what is shown', run: () => void copy(location.href, 'The link') },
    ...pages.map((p) => ({ key: `g ${p.key}`, does: `go to ${p.name}`, run: () => navigate(p.path) })),
  ])
  const found = find(path.value)
  return (
    <div class="shell">
      <a class="skip" href="#main">Skip to content</a>
      <Top onHelp={() => setHelp(true)} onJump={() => setJump(true)} />
      <Side here={found?.page} />
      <main id="main" class="main" tabIndex={-1}>
        {!found ? <NoPage /> : found.page.operator && !boot.operator ? <NotYours name={found.page.name} /> : (
          <Boundary title={found.page.name} key={found.page.path}><found.page.draw rest={found.rest} /></Boundary>
        )}
      </main>
      <div class="sr" role="status" aria-live="polite">{said.value}</div>
      {said.value ? <div class="toast" aria-hidden="true">{said.value}</div> : null}
      <Help open={help} onClose={() => setHelp(false)} />
      <Palette open={jump} onClose={() => setJump(false)} />
    </div>
  )
}

function Top({ onHelp, onJump }: { onHelp: () => void; onJump: () => void }) {
  return (
    <header class="top">
      <a class="brand" href="/"><TrackGlyph way="fallback" />Signalbox</a>
      <span class="account" title={boot.user?.email}>{boot.account?.name}</span>
      <button type="button" class="button jump" onClick={onJump}>
        <svg viewBox="0 0 14 14" aria-hidden="true"><circle cx="6" cy="6" r="4.2" /><path d="M9.2 9.2 13 13" /></svg>
        <span class="words">Go to a page, a request or a key</span><kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <button type="button" class="button quiet" onClick={onHelp} aria-label="Keys and help">?</button>
      <ThemeButton />
      <form method="post" action="/logout"><button class="button quiet" type="submit">Sign out</button></form>
    </header>
  )
}

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const sign: Record<Theme, string> = { system: '◐', light: '○', dark: '●' }

function ThemeButton() {
  const now = theme.value
  return (
    <button type="button" class="button quiet" aria-label={`Colours: ${now}. Change to ${next[now]}.`} title={`Colours: ${now}`} onClick={() => choose(next[now])}>
      {sign[now]}
    </button>
  )
}

/** On a phone the pages are a bar that may be wider than the screen. Seeing to it can wait until the page is drawn. */
function inSight(el: HTMLElement | null): void {
  if (el) requestAnimationFrame(() => el.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
}

function Side({ here }: { here: Page | undefined }) {
  return (
    <nav class={pages.length > 8 ? 'side many' : 'side'} aria-label="Pages">
      {(['', 'Build', 'Operate'] as const).map((group) => {
        const list = pages.filter((p) => p.group === group)
        return list.length === 0 ? null : (
          <div key={group}>
            {group ? <h2>{group}</h2> : null}
            <ul>{list.map((p) => <li key={p.path}><a href={p.path} aria-current={p === here ? 'page' : undefined} {...(p === here ? { ref: inSight } : {})}>{p.name}</a></li>)}</ul>
          </div>
        )
      })}
    </nav>
  )
}

function NoPage() {
  return (
    <>
      <h1 tabIndex={-1}>There is no such page</h1>
      <p>The address may be mistyped. The pages are on the left; <a href="/">begin at the Overview</a>.</p>
    </>
  )
}

function NotYours({ name }: { name: string }) {
  return (
    <>
      <h1 tabIndex={-1}>{name}</h1>
      <p>This page is for the people who run this installation. Somebody of the operator’s account can show it to you.</p>
    </>
  )
}

function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} title="Keys" onClose={onClose}>
      <div class="stack">
        <label class="check"><input type="checkbox" checked={enabled.value} onChange={(e) => enable(e.currentTarget.checked)} /> Keys of one letter work</label>
        <dl class="facts">
          {keys.value.map((k) => [<dt key={k.key}><kbd>{k.key}</kbd></dt>, <dd key={k.key + '-'}>{k.does}</dd>])}
        </dl>
        <p class="meta">Signalbox {boot.version}</p>
      </div>
    </Dialog>
  )
}
