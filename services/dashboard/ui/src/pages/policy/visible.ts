/** Runs f when the element is drawn, at once or later: parts of a page are hidden while a part above them loads, and can neither be focused nor scrolled to. Returns a function that stops waiting. */
export function whenVisible(el: HTMLElement, f: () => void): () => void {
  const isDrawn = () => el.getClientRects().length > 0
  if (isDrawn()) {
    f()
    return () => {}
  }
  const observer = new ResizeObserver(() => {
    if (!isDrawn()) return
    observer.disconnect()
    f()
  })
  observer.observe(el)
  return () => observer.disconnect()
}
