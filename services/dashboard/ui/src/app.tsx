import { effect } from '@preact/signals'
import { render } from 'preact'
import { find, title } from './nav'
import { followLinks, path } from './router'
import { Shell } from './shell'

effect(() => void (document.title = title(path.value)))
followLinks((path) => find(path) !== null)
render(<Shell />, document.getElementById('app')!)
