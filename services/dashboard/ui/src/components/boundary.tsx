import { Component, type ComponentChildren } from 'preact'
import { forget } from '../api'

/** Shows in place what went wrong in drawing its part, with a way on; the rest goes on. */
export class Boundary extends Component<{ title: string; children: ComponentChildren }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  /** What it could not draw is not to be drawn again. */
  override componentDidCatch() {
    forget()
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <>
        <div class="pagehead"><h1 tabIndex={-1}>{this.props.title}</h1></div>
        <div class="errorbox" role="alert">
          <p>This page cannot be drawn. That is our mistake, and nothing of yours is lost.</p>
          <p class="code">{String(error)}</p>
          <div class="line">
            <button type="button" class="button small" onClick={() => this.setState({ error: null })}>Try again</button>
            <button type="button" class="button small" onClick={() => location.reload()}>Load the page anew</button>
          </div>
        </div>
      </>
    )
  }
}
