package store

import (
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	hourMicros = 3600 * 1_000_000
	dayMicros  = 24 * hourMicros
)

// timeRange is a range in microseconds since 1970. from is inclusive and to is
// exclusive. nil means unbounded.
type timeRange struct{ from, to *int64 }

func queryRange(q record.Query) timeRange {
	var s timeRange
	if !q.From.IsZero() {
		s.from = toMicros(q.From)
	}
	if !q.To.IsZero() {
		s.to = toMicros(q.To)
	}
	return s
}

func toMicros(t time.Time) *int64 {
	us := t.UnixMicro()
	return &us
}

// days returns the days of the range, counted from 1970. One more day on both sides keeps records
// that a test or an import dates otherwise.
func (s timeRange) days() timeRange {
	var days timeRange
	if s.from != nil {
		first := floorDiv(*s.from, dayMicros) - 1
		days.from = &first
	}
	if s.to != nil {
		end := floorDiv(*s.to, dayMicros) + 2
		days.to = &end
	}
	return days
}

// splitWhole splits a range into whole steps and the edges before and after them.
// The bounds of whole are indexes of steps, counted from 1970. The edges are in
// microseconds. An unbounded side has no edge. If the range contains no whole
// step, whole is empty and the only edge is the range itself.
func (s timeRange) splitWhole(step int64) (whole timeRange, edges []timeRange) {
	if s.from != nil {
		first := floorDiv(*s.from+step-1, step)
		whole.from = &first
	}
	if s.to != nil {
		end := floorDiv(*s.to, step)
		whole.to = &end
	}
	if whole.from != nil && whole.to != nil && *whole.from >= *whole.to {
		return timeRange{from: whole.from, to: whole.from}, []timeRange{s}
	}
	if start := s.from; start != nil {
		if end := *whole.from * step; *start < end {
			edges = append(edges, timeRange{start, &end})
		}
	}
	if end := s.to; end != nil {
		if start := *whole.to * step; start < *end {
			edges = append(edges, timeRange{&start, end})
		}
	}
	return whole, edges
}

func (s timeRange) isEmpty() bool { return s.from != nil && s.to != nil && *s.from >= *s.to }

// hourOf returns the index of the hour, counted from 1970. It rounds down, also for
// times before 1970.
func hourOf(us int64) int64 { return floorDiv(us, hourMicros) }

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// coveredByAggregates reports whether the aggregate tables have all columns that
// the terms and the grouping need.
func coveredByAggregates(terms []record.Term, by record.GroupBy) bool {
	for _, t := range terms {
		switch t.Field {
		case record.ByModel, record.ByProvider, record.ByRoute, record.ByOutcome, record.ByKey, record.ByStream:
		default:
			return false
		}
	}
	switch by {
	case "", record.GroupDay, record.GroupModel, record.GroupProvider, record.GroupRoute, record.GroupKey:
		return true
	}
	return false
}
