// Runs hooks in a component that renders nothing, so that no DOM is needed.
import './browser.mjs'
import { createElement, render } from 'preact'

/** Mounts a component that calls hook. Returns functions that render it again and that unmount it. */
export function mount(hook) {
  const root = { nodeType: 1, childNodes: [], firstChild: null, namespaceURI: 'http://www.w3.org/1999/xhtml', insertBefore() {}, contains: () => true }
  const Probe = () => (hook(), null)
  let renders = 0
  // With signals, a component renders again only if a property changed.
  const update = () => render(createElement(Probe, { renders: renders++ }), root)
  update()
  return { update, unmount: () => render(null, root) }
}
