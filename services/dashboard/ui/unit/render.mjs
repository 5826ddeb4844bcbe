// Renders components that use no hooks as text, so that no DOM is needed.
import './browser.mjs'

/** Returns the markup of a node, with its classes and without other attributes. */
export function render(node) {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(render).join('')
  if (typeof node !== 'object') return String(node)
  if (typeof node.type === 'function') return render(node.type(node.props))
  const name = node.props.class ? `${node.type}.${node.props.class.replaceAll(' ', '.')}` : node.type
  return `<${name}>${render(node.props.children)}</>`
}

/** Returns only the text of a node. */
export const textOf = (node) => render(node).replace(/<[^>]*>/g, '')
