package shadow

import (
	"sync"

	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// Drop is why a sampled request was not compared.
type Drop string

// The reasons.
const (
	Busy          Drop = "busy"           // clients needed the gateway
	QueueFull     Drop = "queue_full"     // too many samples waited
	Stopping      Drop = "stopping"       // the proxy stops
	OptedOut      Drop = "opted_out"      // the account no longer allows experiments
	NotAllowed    Drop = "not_allowed"    // the filters of the request, a new policy or a drain exclude the candidates or the judge
	NotRepeatable Drop = "not_repeatable" // the request uses something that must not run twice
	TooLarge      Drop = "too_large"      // the text of the request or the response is too long
	NoBudget      Drop = "no_budget"      // the daily limit of the experiment is reached or cannot be checked
	NoSpool       Drop = "no_spool"       // the result could not be stored
	Panicked      Drop = "panic"          // a fault of the gateway
)

// counts counts dropped samples and finished comparisons since the start.
type counts struct {
	mu      sync.Mutex
	dropped map[Drop]int64
	results map[ledger.ComparisonResult]int64
}

func (c *counts) add(why Drop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped == nil {
		c.dropped = map[Drop]int64{}
	}
	c.dropped[why]++
}

func (c *counts) addResult(r ledger.ComparisonResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil {
		c.results = map[ledger.ComparisonResult]int64{}
	}
	c.results[r]++
}

// EachDropped calls f with the number of dropped samples by reason.
func (p *Pool) EachDropped(f func(why Drop, n int64)) {
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	for why, n := range p.counts.dropped {
		f(why, n)
	}
}

// EachResult calls f with the number of finished comparisons by result.
func (p *Pool) EachResult(f func(r ledger.ComparisonResult, n int64)) {
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	for r, n := range p.counts.results {
		f(r, n)
	}
}
