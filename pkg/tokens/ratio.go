package tokens

import (
	"math"
	"sync/atomic"
)

// minRatio and maxRatio limit the ratio of one sample. A ratio outside these limits has
// another cause than the tokenizer, such as a system prompt that the provider adds.
const (
	minRatio = 0.5
	maxRatio = 2.5
)

// Weights are in tokens. The weight of a sample is its number of estimated tokens. So
// short requests count little. In a short request, the tokens that a provider adds to
// every request would distort the ratio most.
const (
	// priorWeight is the weight of the initial ratio 1.
	priorWeight = 2 << 10
	// maxWeight limits the total weight, so that the influence of old samples fades.
	maxWeight = 64 << 10
	// maxSampleWeight limits the weight of one request.
	maxSampleWeight = 16 << 10
)

// Ratio is reported tokens divided by estimated tokens for one source. The zero
// value means no correction.
type Ratio float64

// Scale returns the count that the source will probably report.
func (r Ratio) Scale(estimated int64) int64 {
	if r == 0 {
		return estimated
	}
	return int64(math.Ceil(float64(r) * float64(estimated)))
}

// learnedRatio is an exponentially weighted mean of reported divided by estimated tokens.
// It is safe for concurrent use. The zero value has a mean of 1.
type learnedRatio struct {
	// state packs the mean as a float32 in the upper half and its weight in the
	// lower half, so that both change atomically.
	state atomic.Uint64
}

func (r *learnedRatio) mean() Ratio {
	mean, _ := unpackRatio(r.state.Load())
	return Ratio(mean)
}

func unpackRatio(state uint64) (mean float64, weight uint32) {
	if state == 0 {
		return 1, priorWeight
	}
	return float64(math.Float32frombits(uint32(state >> 32))), uint32(state)
}

// isSettled reports whether the weight has reached maxWeight. After that, a small sample
// hardly changes the mean.
func (r *learnedRatio) isSettled() bool {
	_, weight := unpackRatio(r.state.Load())
	return weight >= maxWeight
}

func (r *learnedRatio) addSample(estimated, reported int64) {
	if estimated <= 0 || reported <= 0 {
		return
	}
	found := min(max(float64(reported)/float64(estimated), minRatio), maxRatio)
	sampleWeight := uint32(min(estimated, maxSampleWeight))
	for {
		old := r.state.Load()
		mean, weight := unpackRatio(old)
		mean += (found - mean) * float64(sampleWeight) / float64(weight+sampleWeight)
		next := uint64(math.Float32bits(float32(mean)))<<32 | uint64(min(weight+sampleWeight, maxWeight))
		if r.state.CompareAndSwap(old, next) {
			return
		}
	}
}
