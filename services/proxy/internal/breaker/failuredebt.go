package breaker

import "github.com/signalbox/signalbox/pkg/policy"

// failureShare limits the failures of a candidate whose breaker is closed: one per
// this many requests. Every failure costs an extra call, and a breaker that opens at
// an error rate of one half does not limit that cost enough.
const failureShare = 5

// failureDebt measures failures above that share. Every failure adds to it, and
// every request for the candidate reduces it.
type failureDebt struct{ debt int64 }

func (s *failureDebt) recordRequest() { s.debt = max(0, s.debt-1) }

// recordFailure adds to the debt, up to a limit, so that the candidate recovers soon
// after the failures end.
func (s *failureDebt) recordFailure(set policy.Breaker) {
	s.debt = min(s.debt+failureShare, 2*failureShare*set.MinRequests)
}

func (s *failureDebt) exceedsLimit(set policy.Breaker) bool {
	return s.debt >= failureShare*set.MinRequests
}
