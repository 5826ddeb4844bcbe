// The properties of a chart.

export interface Series {
  name: string
  /** The CSS custom property of its color, such as --c1. */
  color: string
  values: (number | null)[]
  /** A dash pattern, which distinguishes series without color. */
  dash?: number[]
  /** A label at the end of the line. */
  endLabel?: string
}

export interface ChartProps {
  label: string
  /** The content of the chart in one sentence. */
  summary: string
  times: string[]
  series: Series[]
  /** bars draws stacked bars. steps draws lines that keep each value until the next time. */
  kind: 'bars' | 'steps'
  formatValue: (n: number) => string
  /** Formats all labels of the y axis together. Without it each label is formatted as a value. */
  formatTicks?: (all: number[]) => string[]
  /** Whether the values are integers. Then the axis has no fractions. */
  integers?: boolean
  /** The range of the x axis, if it is larger than the range of the times. */
  timeSpan?: [string, string]
  height?: number
  /** Whether a drag over the chart sets the range of the page. The range starts and ends at multiples of this many seconds. */
  brush?: number
  /** The URL of a value in the table: its series and its time. */
  valueURL?: (series: number, time: number) => string | null
  /** Fills the area between two lines where the first is above the second. */
  bands?: { above: number; below: number; color: string }[]
}

export interface PlotProps extends ChartProps {
  /** Called with the index of the time under the pointer, or null. */
  onHover: (i: number | null) => void
  /** Called with the times, in seconds since 1970, between which the user dragged. */
  onBrush: (from: number, to: number) => void
}
