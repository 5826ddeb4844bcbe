package model

// Line is a straight line through measured points.
type Line struct{ Start, Slope float64 }

// At returns the value at x.
func (l Line) At(x float64) float64 { return l.Start + l.Slope*x }

// FitLine returns the line with the least squared distance to the points. If it would fall or begin
// below zero, which no cost does, it returns the level line or the one through the origin.
func FitLine(x, y []float64) Line {
	n := float64(len(x))
	if n == 0 {
		return Line{}
	}
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	spread := n*sxx - sx*sx
	if spread == 0 {
		return Line{Start: sy / n}
	}
	slope := (n*sxy - sx*sy) / spread
	switch start := (sy - slope*sx) / n; {
	case slope < 0:
		return Line{Start: sy / n}
	case start < 0:
		return Line{Slope: sxy / sxx}
	default:
		return Line{start, slope}
	}
}
