package record

import (
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// Sort is the order of a list of records: by a number, then by time, then by id. All
// three run in the same direction. The zero Sort is newest first. A list that is sorted
// by a number leaves out the records that do not have it, such as the cost of a request
// without a known price.
type Sort struct {
	// By is one of SortFields, or empty for ByTime.
	By Field
	// Ascending puts the smallest number first.
	Ascending bool
}

// ByTime sorts by the time of the request. It is no field of a filter.
const ByTime Field = "time"

// SortFields returns the fields by which a list can be sorted.
func SortFields() []Field {
	return []Field{ByTime, ByCost, BySaved, ByLatency, ByTTFT, ByTokens}
}

// ParseSort parses the field and the direction of an order. Both may be empty.
func ParseSort(by, direction string) (Sort, error) {
	s := Sort{By: Field(by), Ascending: direction == "asc"}
	if by != "" && !slices.Contains(SortFields(), s.By) {
		return Sort{}, invalidSort(by)
	}
	if direction != "" && direction != "asc" && direction != "desc" {
		return Sort{}, apperr.New(apperr.InvalidRequest, "order must be asc or desc").With("param", "order").With("allowed", []string{"asc", "desc"})
	}
	if s.By == ByTime && !s.Ascending {
		return Sort{}, nil
	}
	return s, nil
}

func invalidSort(by string) error {
	err := apperr.New(apperr.InvalidRequest, fmt.Sprintf("requests cannot be sorted by %q", by)).With("param", "sort").With("allowed", SortFields())
	var names []string
	for _, f := range SortFields() {
		names = append(names, string(f))
	}
	if nearest := policy.NearestName(by, names); nearest != "" {
		err = err.With("did_you_mean", nearest)
	}
	return err
}

// IsNewestFirst reports whether the order is newest first.
func (s Sort) IsNewestFirst() bool { return s.byTime() && !s.Ascending }

func (s Sort) byTime() bool { return s.By == "" || s.By == ByTime }

// code identifies the order in a cursor.
func (s Sort) code() byte {
	code := byte(2 * max(0, slices.Index(SortFields(), s.By)))
	if s.Ascending {
		code++
	}
	return code
}

// valueOf returns the number by which a record sorts. It is 0 if the order is by time.
func (s Sort) valueOf(r *Record) int64 {
	switch s.By {
	case ByCost:
		return orZero(r.Cost)
	case BySaved:
		return orZero(r.Saved())
	case ByLatency:
		return r.Latency
	case ByTTFT:
		return r.TTFT
	case ByTokens:
		return saturate.Sum(r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Output)
	}
	return 0
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
