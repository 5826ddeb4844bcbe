// Where the positions of the dial and their labels are drawn.
import { type Point, pointNames } from './dial'

export interface Dot {
  point: Point
  x: number
  y: number
  /** The height of the label, which begins to the right of the dot. */
  labelY: number
}

/** About the width of a letter, and the distance of two lines. */
const letterWidth = 6.5
const lineHeight = 15
export const labelOffset = 9

/** Places the points in a drawing of this size: cheap on the left, good at the top. */
export function placePoints(points: Point[], width: number, height: number): Dot[] {
  const scale = (all: number[], size: number) => {
    const low = Math.min(...all)
    const span = Math.max(...all) - low
    return (v: number) => (span === 0 ? size / 2 : ((v - low) / span) * size)
  }
  const x = scale(points.map((p) => p.cost_nano_usd), width)
  const y = scale(points.map((p) => p.quality), height)
  return placeLabels(points.map((p) => ({ point: p, x: x(p.cost_nano_usd), y: height - y(p.quality), labelY: 0 })))
}

/** Moves labels up or down, in steps of a line, until they cover neither another label nor another dot. */
function placeLabels(dots: Dot[]): Dot[] {
  const placed: Dot[] = []
  const covers = (d: Dot, at: number) =>
    placed.some((o) => Math.abs(o.labelY - at) < lineHeight && startOf(d) < endOf(o) && startOf(o) < endOf(d)) ||
    dots.some((o) => Math.abs(o.y - at) < lineHeight / 2 && o.x > startOf(d) && o.x < endOf(d))
  for (const d of dots) {
    for (let step = 0; ; step++) {
      const free = [d.y - step * lineHeight, d.y + step * lineHeight].find((at) => !covers(d, at))
      if (free === undefined) continue
      placed.push({ ...d, labelY: free })
      break
    }
  }
  return placed
}

const startOf = (d: Dot): number => d.x + labelOffset
const endOf = (d: Dot): number => startOf(d) + letterWidth * pointNames[d.point.name].length
