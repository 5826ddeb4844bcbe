import { Component, type ComponentChildren } from 'preact'
import { clearCache } from '../api'

/** Shows an error in place of a page that fails to render. The rest of the dashboard keeps working. */
export class ErrorBoundary extends Component<{ title: string; children: ComponentChildren }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  /** A cached response may have caused the error, so the next render must load again. */
  override componentDidCatch() {
    clearCache()
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <>
        <div class="pagehead"><h1 tabIndex={-1}>{this.props.title}</h1></div>
        <div class="errorbox" role="alert">
          <p>This page cannot be shown because of a bug in Signalbox. Your data is not affected.</p>
          <p class="code">{String(error)}</p>
          <div class="line">
            <button type="button" class="button small" onClick={() => this.setState({ error: null })}>Try again</button>
            <button type="button" class="button small" onClick={() => location.reload()}>Reload the page</button>
          </div>
        </div>
      </>
    )
  }
}
