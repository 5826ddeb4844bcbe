package record

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// EndpointSums summarizes the attempts on one model at one provider.
type EndpointSums struct {
	Provider, Model string
	Attempts        int64
	// Failures counts the failed attempts by code, most frequent first.
	Failures []Failure
	// P50 and P95 are percentiles of the durations of successful attempts, in
	// microseconds; 0 if there were none.
	P50, P95 int64
}

// Failure counts the attempts that failed with one code.
type Failure struct {
	Code     string
	Attempts int64
	// Newest is the newest record with this failure.
	Newest uuid.UUID
}

// FailedAttempts returns the number of failed attempts.
func (s *EndpointSums) FailedAttempts() (n int64) {
	for _, f := range s.Failures {
		n += f.Attempts
	}
	return n
}

func (s *EndpointSums) addFailure(code string, in uuid.UUID) {
	for i := range s.Failures {
		if s.Failures[i].Code == code {
			s.Failures[i].Attempts++
			return
		}
	}
	s.Failures = append(s.Failures, Failure{Code: code, Attempts: 1, Newest: in})
}

// isSkipped reports whether the proxy made no call: the breaker was open, or the
// provider had reached a limit. Such attempts say nothing about the endpoint.
func isSkipped(code string) bool { return code == "BREAKER_OPEN" || code == "OVER_LIMIT" }

// SumAttempts groups the attempts of records by endpoint, most used first. The
// records must be sorted newest first.
func SumAttempts(all []Record) []EndpointSums {
	type endpoint struct{ provider, model string }
	sums := map[endpoint]*EndpointSums{}
	spans := map[endpoint][]int64{}
	for i := range all {
		for _, a := range all[i].Attempts {
			if isSkipped(a.Code) {
				continue
			}
			at := endpoint{a.Provider, a.Model}
			if sums[at] == nil {
				sums[at] = &EndpointSums{Provider: a.Provider, Model: a.Model}
			}
			sums[at].Attempts++
			if a.Code != "" {
				sums[at].addFailure(a.Code, all[i].ID)
			} else {
				spans[at] = append(spans[at], a.Ended-a.Started)
			}
		}
	}
	var out []EndpointSums
	for at, s := range sums {
		slices.Sort(spans[at])
		s.P50, s.P95 = Percentile(spans[at], 50), Percentile(spans[at], 95)
		slices.SortFunc(s.Failures, func(a, b Failure) int {
			return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Code, b.Code))
		})
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b EndpointSums) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return out
}
