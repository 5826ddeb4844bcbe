package store

import (
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	hourMicros = 3600 * 1_000_000
	dayMicros  = 24 * hourMicros
)

// span is a stretch of time in microseconds: from is inclusive, to is not, and
// nil leaves that side open.
type span struct{ from, to *int64 }

func spanOf(q record.Query) span {
	var s span
	if !q.From.IsZero() {
		s.from = micros(q.From)
	}
	if !q.To.IsZero() {
		s.to = micros(q.To)
	}
	return s
}

func micros(t time.Time) *int64 {
	us := t.UnixMicro()
	return &us
}

// whole splits a span into the whole steps in it, counted since 1970, and the
// edges before and after, which no step covers. An open side has no edge.
func (s span) whole(step int64) (whole span, edges []span) {
	if s.from != nil {
		first := floorDiv(*s.from+step-1, step)
		whole.from = &first
	}
	if s.to != nil {
		end := floorDiv(*s.to, step)
		whole.to = &end
	}
	if whole.from != nil && whole.to != nil && *whole.from >= *whole.to {
		return span{from: whole.from, to: whole.from}, []span{s}
	}
	if start := s.from; start != nil {
		if end := *whole.from * step; *start < end {
			edges = append(edges, span{start, &end})
		}
	}
	if end := s.to; end != nil {
		if start := *whole.to * step; start < *end {
			edges = append(edges, span{&start, end})
		}
	}
	return whole, edges
}

// empty reports whether nothing can be in the span.
func (s span) empty() bool { return s.from != nil && s.to != nil && *s.from >= *s.to }

// hourOf rounds down, also before 1970.
func hourOf(us int64) int64 { return floorDiv(us, hourMicros) }

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// summed reports whether the sums tell which rows a query finds, and
// whether they can be told apart by what they are grouped by.
func summed(terms []record.Term, by record.GroupBy) bool {
	for _, t := range terms {
		switch t.Field {
		case record.ByModel, record.ByProvider, record.ByRoute, record.ByOutcome, record.ByKey, record.ByStream:
		default:
			return false
		}
	}
	return by != record.GroupRequestedModel && by != record.GroupCode
}
