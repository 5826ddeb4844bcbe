package server

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
)

// ComputeVector returns a vector of length 1 that depends only on the text.
func ComputeVector(text string, size int) []float32 {
	seed := sha256.Sum256([]byte(text))
	source := rand.New(rand.NewChaCha8(seed))
	v, sum := make([]float64, size), 0.0
	for i := range v {
		v[i] = source.NormFloat64()
		sum += v[i] * v[i]
	}
	unit := make([]float32, size)
	for i := range v {
		unit[i] = float32(v[i] / math.Sqrt(sum))
	}
	return unit
}
