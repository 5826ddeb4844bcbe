// The part that is loaded when the first chart is seen: uPlot, and nothing else.
import uPlot from 'uplot'

export { uPlot }
