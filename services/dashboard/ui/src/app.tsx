import { effect } from '@preact/signals'
import { render } from 'preact'
import { findPage, pageTitle } from './nav'
import { currentPath, interceptLinks } from './router'
import { Shell } from './shell'

effect(() => void (document.title = pageTitle(currentPath.value)))
interceptLinks((path) => findPage(path) !== null)
render(<Shell />, document.getElementById('app')!)
