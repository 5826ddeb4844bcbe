package breaker

import "github.com/signalbox/signalbox/pkg/policy"

// failureShare bounds the failures of a target that is in use: beyond the first
// few, one for so many requests that come for it. Each costs a call more, which
// a breaker that opens at half of them would not keep within bounds.
const failureShare = 5

// strain is what the failures of a target have cost beyond that: each adds to
// it, and every request that comes for the target takes a little off.
type strain struct{ owed int64 }

func (s *strain) wanted() { s.owed = max(0, s.owed-1) }

// failed adds no more than is forgotten soon after the failures have ended.
func (s *strain) failed(set policy.Breaker) {
	s.owed = min(s.owed+failureShare, 2*failureShare*set.MinRequests)
}

func (s *strain) over(set policy.Breaker) bool { return s.owed >= failureShare*set.MinRequests }
