package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// latencyPercentile is the percentile that the kind latency compares.
const latencyPercentile = 95

// measureRate counts the accepted requests, and those of them that failed or used a fallback.
// Rejected requests do not count, because limits would make every client with too many requests
// an error of the installation.
func (s *Source) measureRate(ctx context.Context, r alert.Rule, now time.Time) ([]alert.Reading, error) {
	series, err := s.Ledger.Series(ctx, windowOf(r, now), r.Window)
	if err != nil {
		return nil, err
	}
	var accepted, bad int64
	for _, b := range series {
		for _, c := range b.Counts {
			if c.Outcome == record.OutcomeRejected {
				continue
			}
			if accepted += c.Requests; isBad(r.Kind, c) {
				bad += c.Requests
			}
		}
	}
	v := alert.Reading{Quiet: accepted == 0 || accepted < r.MinRequests}
	if accepted > 0 {
		v.Value = 100 * float64(bad) / float64(accepted)
		v.Detail = fmt.Sprintf("%d of %d requests", bad, accepted)
	}
	return []alert.Reading{v}, nil
}

func isBad(k alert.Kind, c record.Count) bool {
	if k == alert.FallbackRate {
		return c.ServedRoute() == record.RouteFallback
	}
	return c.Outcome == record.OutcomeError || c.Outcome == record.OutcomeInterrupted || c.Outcome == record.OutcomeAborted
}

func (s *Source) measureLatency(ctx context.Context, r alert.Rule, now time.Time) ([]alert.Reading, error) {
	us, samples, err := s.Ledger.LatencyPercentile(ctx, windowOf(r, now), latencyPercentile)
	if err != nil {
		return nil, err
	}
	return []alert.Reading{{
		Value: float64(us) / 1000, Quiet: samples == 0 || samples < r.MinRequests, Detail: fmt.Sprintf("the 95th percentile of %d requests", samples),
	}}, nil
}

func (s *Source) measureSpend(ctx context.Context, r alert.Rule, now time.Time) ([]alert.Reading, error) {
	spend, err := s.Ledger.Impact(ctx, windowOf(r, now), "")
	if err != nil {
		return nil, err
	}
	return []alert.Reading{{Value: float64(spend.Routed), Detail: fmt.Sprintf("%d requests", spend.Requests)}}, nil
}
