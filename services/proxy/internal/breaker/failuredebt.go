package breaker

import "github.com/signalbox/signalbox/pkg/policy"

// requestsPerFailure limits the failures of a candidate whose breaker is closed. One
// failure is allowed per requestsPerFailure requests. Every failure costs an extra call,
// and a breaker opens only at a much higher error rate.
const requestsPerFailure = 5

// failureDebt measures by how much a candidate exceeds one failure per requestsPerFailure
// requests. Failed calls add to the debt, except rate-limited ones. Every request whose first
// call could go to the candidate reduces it.
type failureDebt struct{ debt int64 }

func (s *failureDebt) recordRequest() { s.debt = max(0, s.debt-1) }

// recordFailure adds to the debt. The debt has a maximum, so that the candidate
// recovers soon after the failures end.
func (s *failureDebt) recordFailure(settings policy.Breaker) {
	s.debt = min(s.debt+requestsPerFailure, 2*requestsPerFailure*settings.MinRequests)
}

func (s *failureDebt) exceedsLimit(settings policy.Breaker) bool {
	return s.debt >= requestsPerFailure*settings.MinRequests
}
