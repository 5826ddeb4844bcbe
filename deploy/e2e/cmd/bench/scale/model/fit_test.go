package model

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFitLine(t *testing.T) {
	l := FitLine([]float64{1, 2, 4}, []float64{5, 7, 11})
	require.InDelta(t, 3, l.Start, 1e-9)
	require.InDelta(t, 2, l.Slope, 1e-9)
	require.InDelta(t, 203, l.At(100), 1e-9)
	require.Equal(t, Line{Start: 2}, FitLine([]float64{1, 2}, []float64{3, 1}), "no cost falls")
	require.InDelta(t, 0, FitLine([]float64{1, 2}, []float64{1, 4}).Start, 0, "no cost is negative")
	require.Equal(t, Line{Start: 4}, FitLine([]float64{1}, []float64{4}))
	require.Equal(t, Line{}, FitLine(nil, nil))
}
