// The bundle that loads with the first chart. It holds uPlot and nothing else.
import uPlot from 'uplot'

export { uPlot }
