package statistics

import (
	"math"
	"sync"
)

const (
	// The bets are spread over sizes from minBet to maxBet, evenly in their logarithm.
	minBet   = 1e-4
	maxBet   = 0.95
	betCount = 120
	// usualBet is the typical size of a bet. A difference of 5 points with 20 % discordant
	// pairs wants a bet of 0.2. The mixture also works for others, more slowly.
	usualBet = 0.13
)

// bet is one component of the mixture.
type bet struct {
	size      float64
	logWeight float64
	// price is psi(size): what a squared difference of 1 costs.
	price float64
}

// mixture returns the bets. Their weights follow a half-normal density and add up to 1.
var mixture = sync.OnceValue(func() []bet {
	bets := make([]bet, betCount)
	step := math.Pow(maxBet/minBet, 1.0/(betCount-1))
	total := 0.0
	for i, size := 0, minBet; i < betCount; i, size = i+1, size*step {
		density := math.Exp(-size * size / (2 * usualBet * usualBet))
		bets[i] = bet{size: size, logWeight: density * size, price: -math.Log1p(-size) - size}
		total += bets[i].logWeight
	}
	for i := range bets {
		bets[i].logWeight = math.Log(bets[i].logWeight / total)
	}
	return bets
})

// logCapital returns the logarithm of the capital of a bet that the mean exceeds m, after
// observations in [-1, 1] with the given sums.
func logCapital(s Sample, m float64) float64 {
	excess := s.Sum - float64(s.N)*m
	best := math.Inf(-1)
	terms := make([]float64, 0, betCount)
	for _, b := range mixture() {
		term := b.logWeight + b.size*excess - b.price*s.Squares
		best = max(best, term)
		terms = append(terms, term)
	}
	sum := 0.0
	for _, term := range terms {
		sum += math.Exp(term - best)
	}
	return best + math.Log(sum)
}

// betWins reports whether logCapital reaches need, which is positive. The weights add up to 1, so
// the mixture has at most the capital of its best bet. Most looks end there, without an
// exponential.
func betWins(s Sample, m, need float64) bool {
	excess := s.Sum - float64(s.N)*m
	if excess <= 0 {
		return false
	}
	best := 0.0
	for _, b := range mixture() {
		best = max(best, b.size*excess-b.price*s.Squares)
	}
	return best >= need && logCapital(s, m) >= need
}

// DifferenceInterval returns the interval for the mean of paired differences in [-1, 1].
// Each side has half of alpha.
func DifferenceInterval(s Sample, alpha float64) Interval {
	if s.N == 0 {
		return Interval{-1, 1}
	}
	need := -math.Log(alpha / 2)
	mirrored := Sample{N: s.N, Sum: -s.Sum, Squares: s.Squares}
	mean := s.Mean()
	return Interval{
		Low:  bisect(-1, mean, func(m float64) bool { return betWins(s, m, need) }),
		High: bisect(1, mean, func(m float64) bool { return betWins(mirrored, -m, need) }),
	}
}
