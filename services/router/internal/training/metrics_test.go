package training

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPGR(t *testing.T) {
	strong, weak := []float64{1, 1, 1, 1}, []float64{0, 1, 0, 1}
	for name, c := range map[string]struct {
		scores []float64
		want   float64
	}{
		"the best order":  {[]float64{4, 1, 3, 2}, 0.75},
		"the worst order": {[]float64{1, 4, 2, 3}, 0.25},
		"all the same":    {[]float64{7, 7, 7, 7}, 0.5},
		"two ties":        {[]float64{2, 1, 2, 1}, 0.75},
	} {
		task := Task{Scores: c.scores, Strong: strong, Weak: weak}
		require.InDelta(t, c.want, task.APGR(), 1e-9, name)
	}
}

func TestCalibrationError(t *testing.T) {
	var c Calibration
	for i := range 10 {
		c.add(0.75, float64(i%2))
	}
	require.InDelta(t, 0.25, c.Error(), 1e-9)
}

// The solver finds the solution of a ridge regression that is known in closed form: with
// one feature, the weight is xy/(xx+ridge).
func TestSolve(t *testing.T) {
	d := &design{words: 1, indexes: [][]int32{{0}, {0}}, values: [][]float64{{1}, {2}}}
	w := d.solve([]float64{1, 3}, 2, 1)
	require.InDelta(t, 1.0, w[0], 1e-6)
}
