package training

import "math"

// The loops below carry go:norace, because with the race detector they take ten times as long: most of the CPU time
// of the router's tests. They write vectors of one goroutine, but two goroutines read the rows of one design. The
// detector does not notice a goroutine that writes to them.

// design is a sparse matrix with a row per sample: words first, then style features.
type design struct {
	words   int
	indexes [][]int32
	values  [][]float64
}

// times computes the product of the matrix and a vector.
//
//go:norace
func (d *design) times(out, v []float64) {
	for i, indexes := range d.indexes {
		sum := 0.0
		for k, j := range indexes {
			sum += d.values[i][k] * v[j]
		}
		out[i] = sum
	}
}

// addTransposed adds the product of the transposed matrix and v to out.
//
//go:norace
func (d *design) addTransposed(out, v []float64) {
	for i, indexes := range d.indexes {
		for k, j := range indexes {
			out[j] += d.values[i][k] * v[i]
		}
	}
}

const (
	maxIterations = 200
	// precision is the relative size of the residual at which solve stops. Weights are
	// rounded to 1/127 of the largest, so more would be lost.
	precision = 1e-3
)

// solve returns the weights that minimise the squared error plus ridge times their square,
// by conjugate gradients. columns is the number of weights.
//
//go:norace
func (d *design) solve(target []float64, ridge float64, columns int) []float64 {
	w, r := make([]float64, columns), make([]float64, columns)
	d.addTransposed(r, target)
	p := append([]float64(nil), r...)
	product, image := make([]float64, len(d.indexes)), make([]float64, columns)
	size := dot(r, r)
	for stop, n := size*precision*precision, 0; size > stop && n < maxIterations; n++ {
		d.times(product, p)
		for j := range image {
			image[j] = ridge * p[j]
		}
		d.addTransposed(image, product)
		step := size / dot(p, image)
		for j := range w {
			w[j] += step * p[j]
			r[j] -= step * image[j]
		}
		next := dot(r, r)
		for j := range p {
			p[j] = r[j] + next/size*p[j]
		}
		size = next
	}
	return w
}

//go:norace
func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
