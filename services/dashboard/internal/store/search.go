package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// finder searches for the records that match a filter. It searches one time window
// after the other, newest first. A window that is read quickly is usually followed by
// a wider one. Frequent matches are therefore found at once, and rare matches in a
// few steps.
type finder struct {
	store  *Store
	query  record.Query
	after  *record.Cursor
	wanted int
	found  []record.Record
	// names holds the names that contain each free-text term; nil until resolved.
	names map[string]nameMatches
	// from and to bound the time that remains to be searched, in microseconds.
	from, to int64
	// width is the width of the next window in microseconds, and firstWidth that of the first one.
	width, firstWidth int64
	// walks is set if the next window is read in the order of time, although it is wide.
	walks bool
	// indexedTerms are the terms for which the index of labels is used; nil until resolved.
	indexedTerms []record.Term
	// nameSets are the sets of label names that a match can have; nil until resolved.
	nameSets *nameSets
	// ignoresTimeIndex keeps SQLite from the index of the time.
	ignoresTimeIndex bool
}

func (f *finder) search(ctx context.Context, until time.Time) error {
	if err := f.limitToExtent(ctx); err != nil {
		return err
	}
	if err := f.chooseFirstWidth(ctx); err != nil {
		return err
	}
	for start := f.to; f.from < f.to && len(f.found) < f.wanted; {
		if err := f.skipEmptyHours(ctx); err != nil || f.from >= f.to {
			return err
		}
		// Search at least one window, so that every page makes progress.
		if err := f.searchWindow(ctx); err != nil || f.to < start && time.Now().After(until) {
			return err
		}
	}
	return nil
}

// chooseFirstWidth sets the width of the first window. It is read in order, so it has about
// firstRequests in a busy hour. An index finds the matches in one window if it has them in order.
func (f *finder) chooseFirstWidth(ctx context.Context) error {
	if f.width = hourMicros; f.hasExactID() || f.hasSession() {
		f.width = f.to - f.from
		return nil
	}
	start := f.to - hourMicros
	requests, err := f.countRequests(ctx, timeRange{&start, &f.to})
	if requests > firstRequests {
		f.width = max(hourMicros*firstRequests/requests, minWindowWidth)
	}
	f.firstWidth = f.width
	return err
}

const extentQuery = `SELECT (SELECT MIN(hour) FROM hourly WHERE account_id = $1), (SELECT MAX(hour) FROM hourly WHERE account_id = $1)`

// limitToExtent sets f.from and f.to. They bound the hours in which the account
// has records, within the query's range and not newer than the cursor.
func (f *finder) limitToExtent(ctx context.Context) error {
	var first, last sql.NullInt64
	err := f.store.db.Replica().QueryRowContext(ctx, extentQuery, f.query.Account).Scan(&first, &last)
	if err != nil || !first.Valid {
		return err
	}
	f.from, f.to = first.Int64*hourMicros, (last.Int64+1)*hourMicros
	in := queryRange(f.query)
	if in.from != nil {
		f.from = max(f.from, *in.from)
	}
	if in.to != nil {
		f.to = min(f.to, *in.to)
	}
	if f.after != nil {
		f.to = min(f.to, f.after.Time.UnixMicro()+1)
	}
	return nil
}

// skipEmptyHours moves f.to back to the end of the newest hour that can contain a
// match. The hourly aggregates show which hours can.
func (f *finder) skipEmptyHours(ctx context.Context) error {
	known := f.query
	known.Terms = slices.DeleteFunc(slices.Clone(known.Terms), func(t record.Term) bool {
		return !coveredByAggregates([]record.Term{t}, "")
	})
	if len(known.Terms) == 0 {
		return nil
	}
	first, end := hourOf(f.from), hourOf(f.to-1)+1
	w := f.store.newWhere(known).addRange("hour", timeRange{&first, &end})
	var hour sql.NullInt64
	err := f.store.db.Replica().QueryRowContext(ctx,
		`SELECT MAX(hour) FROM hourly WHERE `+w.text.String(), w.args...).Scan(&hour)
	if err != nil {
		return err
	}
	if f.to = min(f.to, (hour.Int64+1)*hourMicros); !hour.Valid {
		f.to = f.from
	}
	return nil
}

// searchWindow searches the next window and chooses the width of the window after
// it. If the search times out or has too many matches, the next call searches a
// narrower window instead.
func (f *finder) searchWindow(ctx context.Context) error {
	start := max(f.from, f.to-f.width)
	window, began := timeRange{&start, &f.to}, time.Now()
	brief, cancel := context.WithTimeout(ctx, f.store.windowTimeout(f.width))
	defer cancel()
	found, err := f.findInWindow(brief, window)
	f.walks = false
	switch {
	case errors.Is(err, errTooManyMatches):
		return f.skipToMatch(ctx, window)
	case err != nil && brief.Err() != nil && ctx.Err() == nil && f.width > minWindowWidth:
		f.width = max(f.width/8, minWindowWidth)
		return nil
	case err != nil:
		return err
	}
	f.found = append(f.found, found[:min(len(found), f.wanted-len(f.found))]...)
	lastWidth := f.to - start
	f.to = start
	f.width = f.narrowToNeed(nextWidth(f.width, time.Since(began)), lastWidth, len(found))
	return nil
}

// narrowToNeed limits the next window to a width that should contain twice as many
// matches as are missing, but at least to an hour. A wider window would read matches
// that the page does not need. lastWidth is the width of the last window. found is
// the number of its matches.
func (f *finder) narrowToNeed(width, lastWidth int64, found int) int64 {
	if missing := f.wanted - len(f.found); missing < 4*found {
		return min(width, max(lastWidth/int64(found)*2*int64(missing), hourMicros))
	}
	return width
}

func (f *finder) findInWindow(ctx context.Context, window timeRange) ([]record.Record, error) {
	if f.isNarrow() || f.walks || f.hasSession() || f.store.db.Dialect == sqldb.SQLite && !f.hasExactID() {
		return f.readOrdered(ctx, window)
	}
	return f.readUnordered(ctx, window)
}

// isNarrow reports whether the next window is so narrow that its requests are read in order: like
// the first one, or up to an hour if matches are frequent.
func (f *finder) isNarrow() bool {
	return f.width <= f.firstWidth || f.width <= hourMicros && len(f.found) > 0
}

const (
	// firstRequests is how many requests the first window has in a busy hour. Reading them takes a
	// few milliseconds, also from disk.
	firstRequests = 2_000
	// minWindowWidth is the narrowest window, in microseconds.
	minWindowWidth = 1_000_000
)

// hasExactID reports whether the query has a term of ids without "*". An index
// finds these ids, so the search needs no windows.
func (f *finder) hasExactID() bool { return f.hasExact(record.ByID) }

// hasSession reports whether the query has a term of one session. An index has its
// requests in order, so the search needs no windows.
func (f *finder) hasSession() bool { return f.hasExact(record.BySession) }

// hasExact reports whether every match has one of the values of a term without "*".
func (f *finder) hasExact(field record.Field) bool {
	other := func(t record.Test) bool { return t.Op != record.Equal }
	return slices.ContainsFunc(f.query.Terms, func(t record.Term) bool {
		return t.Field == field && !t.Not && !slices.ContainsFunc(t.Tests, other)
	})
}

// nextWidth widens the window after a fast read and narrows it after a slow read.
func nextWidth(width int64, took time.Duration) int64 {
	switch {
	case took < 40*time.Millisecond:
		return width * 8
	case took < 150*time.Millisecond:
		return width * 2
	case took < 400*time.Millisecond:
		return width
	}
	return max(width/2, minWindowWidth)
}
