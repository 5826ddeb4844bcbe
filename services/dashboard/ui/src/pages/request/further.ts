// The parts of a request's page that are not visible at once. Their code is loaded with the
// first request that is opened.
export { Actions, curlNote, markOrCompare } from './actions'
export { Compared } from './compared'
export { Content } from './content'
export { Cost } from './cost'
export { buildCurlCommand } from './curl'
export { Feedback } from './feedback'
export { Timeline } from './timeline'
