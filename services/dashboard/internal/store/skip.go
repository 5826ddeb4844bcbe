package store

import (
	"context"
	"errors"
	"math"
	"time"
)

const (
	// partsOfDay is how many parts a window of at most a day is split into.
	partsOfDay = 6
	// walkedRequests is how many requests a search reads one after the other at most, if an index
	// has shown that some of them match: a busy day, which takes about 200 ms. An index of a
	// frequent word takes longer for each part of the day.
	walkedRequests = 400_000
	// skipTime is how long a search skips parts before its caller checks the limit of the whole search.
	skipTime = time.Second
)

// skipToMatch looks for the newest part of a window that has a match. It moves f.to to the end of
// that part, and sets f.width to its width. The window has many matches, but the newest ones can be
// at its oldest end: tickets of last week, for example. Reading one match of a part takes an index,
// and usually a few milliseconds.
func (f *finder) skipToMatch(ctx context.Context, window timeRange) error {
	began := time.Now()
	for _, part := range splitWindow(*window.from, *window.to) {
		f.to, f.width = *part.to, *part.to-*part.from
		brief, cancel := context.WithTimeout(ctx, f.store.windowTimeout(f.width))
		found, err := f.readMatches(brief, part, 1)
		expired := brief.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && !expired && !errors.Is(err, errTooManyMatches):
			return err
		case err != nil:
			return nil // a part that takes too long is searched in narrower windows
		case len(found) > 0:
			requests, err := f.countRequests(ctx, part)
			f.walks = requests <= walkedRequests
			return err
		}
		if f.to = *part.from; time.Since(began) > skipTime {
			return nil
		}
	}
	return nil
}

const requestsInHours = `SELECT COALESCE(SUM(requests), 0) FROM hourly WHERE account_id = $1 AND hour >= $2 AND hour <= $3`

// countRequests returns how many requests the account has in the hours of a range.
func (f *finder) countRequests(ctx context.Context, in timeRange) (requests int64, err error) {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if in.from != nil {
		first = hourOf(*in.from)
	}
	if in.to != nil {
		last = hourOf(*in.to)
	}
	err = f.store.db.Replica().QueryRowContext(ctx, requestsInHours, f.query.Account, first, last).Scan(&requests)
	return requests, err
}

// splitWindow splits a window into parts, the newest first: into days, because partitions are
// days, or a window of at most a day into equal parts.
func splitWindow(from, to int64) (parts []timeRange) {
	width := max((to-from)/partsOfDay, 1)
	for to > from {
		start := max(to-width, from)
		if width > dayMicros/partsOfDay {
			start = max(floorDiv(to-1, dayMicros)*dayMicros, from)
		}
		end := to
		parts = append(parts, timeRange{&start, &end})
		to = start
	}
	return parts
}
