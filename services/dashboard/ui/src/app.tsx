import { render } from 'preact'
import { find } from './nav'
import { followLinks } from './router'
import { Shell } from './shell'

followLinks((path) => find(path) !== null)
render(<Shell />, document.getElementById('app')!)
