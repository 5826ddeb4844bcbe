package record

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// TargetSums is how the attempts on one target went.
type TargetSums struct {
	Provider, Model string
	Attempts        int64
	// Failures are those of the attempts that failed, by code, the most
	// frequent first.
	Failures []Failure
	// P50 and P95 are how long those took that did not fail, in microseconds;
	// zero when all did.
	P50, P95 int64
}

// Failure is one way in which attempts failed.
type Failure struct {
	Code     string
	Attempts int64
	// Newest is the newest record in which it happened.
	Newest uuid.UUID
}

// Failed is how many attempts failed.
func (t *TargetSums) Failed() (n int64) {
	for _, f := range t.Failures {
		n += f.Attempts
	}
	return n
}

func (t *TargetSums) fail(code string, in uuid.UUID) {
	for i := range t.Failures {
		if t.Failures[i].Code == code {
			t.Failures[i].Attempts++
			return
		}
	}
	t.Failures = append(t.Failures, Failure{Code: code, Attempts: 1, Newest: in})
}

// notCalled tells attempts that a proxy did not make, because the target was out
// of use or its provider at a limit: they tell nothing new of it.
func notCalled(code string) bool { return code == "BREAKER_OPEN" || code == "OVER_LIMIT" }

// Targets adds up the attempts of records, which come newest first, by target,
// the most used first.
func Targets(all []Record) []TargetSums {
	type target struct{ provider, model string }
	sums := map[target]*TargetSums{}
	spans := map[target][]int64{}
	for i := range all {
		for _, a := range all[i].Attempts {
			if notCalled(a.Code) {
				continue
			}
			at := target{a.Provider, a.Model}
			if sums[at] == nil {
				sums[at] = &TargetSums{Provider: a.Provider, Model: a.Model}
			}
			sums[at].Attempts++
			if a.Code != "" {
				sums[at].fail(a.Code, all[i].ID)
			} else {
				spans[at] = append(spans[at], a.End-a.Started)
			}
		}
	}
	var out []TargetSums
	for at, t := range sums {
		slices.Sort(spans[at])
		t.P50, t.P95 = percentile(spans[at], 50), percentile(spans[at], 95)
		slices.SortFunc(t.Failures, func(a, b Failure) int {
			return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Code, b.Code))
		})
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b TargetSums) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return out
}
