package tokens

import (
	"math"
	"sync/atomic"
)

// What a ratio may be. Beyond it something else is wrong: a prompt of the
// provider's own, or a count of something that is no text.
const (
	leastRatio = 0.5
	mostRatio  = 2.5
)

// How fast a ratio moves, in tokens that it was learned from: one request weighs
// as much as it is long, so that what a provider adds to each says little.
const (
	// prior is what the estimate itself weighs, until something was reported.
	prior = 2 << 10
	// memory is how many tokens count; earlier ones fade.
	memory = 64 << 10
	// mostAtOnce is what one request may weigh.
	mostAtOnce = 16 << 10
)

// Ratio is by how much a source's counts differ from our estimates. The zero
// value is no difference.
type Ratio float64

// Of is what the source will probably report for an estimate.
func (r Ratio) Of(estimated int64) int64 {
	if r == 0 {
		return estimated
	}
	return int64(math.Ceil(float64(r) * float64(estimated)))
}

// ratio is an exponentially weighted mean of reported / estimated. It is safe
// for concurrent use. The zero value is 1.
type ratio struct {
	// state is the mean as a float32 in the upper half and the tokens behind it
	// in the lower, so that both change together.
	state atomic.Uint64
}

func (r *ratio) mean() Ratio {
	mean, _ := unpack(r.state.Load())
	return Ratio(mean)
}

func unpack(state uint64) (mean float64, weight uint32) {
	if state == 0 {
		return 1, prior
	}
	return float64(math.Float32frombits(uint32(state >> 32))), uint32(state)
}

// settled tells whether as much is known as will be remembered.
func (r *ratio) settled() bool {
	_, weight := unpack(r.state.Load())
	return weight >= memory
}

func (r *ratio) learn(estimated, reported int64) {
	if estimated <= 0 || reported <= 0 {
		return
	}
	found := min(max(float64(reported)/float64(estimated), leastRatio), mostRatio)
	gain := uint32(min(estimated, mostAtOnce))
	for {
		old := r.state.Load()
		mean, weight := unpack(old)
		mean += (found - mean) * float64(gain) / float64(weight+gain)
		next := uint64(math.Float32bits(float32(mean)))<<32 | uint64(min(weight+gain, memory))
		if r.state.CompareAndSwap(old, next) {
			return
		}
	}
}
