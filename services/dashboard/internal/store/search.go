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

// finder looks for the records that match a filter, newest first, in one
// window of time after the other. Windows grow while there is little in them,
// so that what is common is found at once and what is rare in a few steps.
type finder struct {
	store *Store
	query record.Query
	after *record.Cursor
	need  int
	found []record.Record
	// names are those that have the texts of the query in them, once looked up.
	names map[string]names
	// What has not been looked through yet, and how much of it comes next, in
	// microseconds.
	from, to, width int64
	// near is set when there was much in a window: windows are halved until the
	// newest of it is found.
	near bool
}

func (f *finder) search(ctx context.Context, until time.Time) error {
	if err := f.extent(ctx); err != nil {
		return err
	}
	if f.width = hourMicros; f.pointed() {
		f.width = f.to - f.from
	}
	for start := f.to; f.from < f.to && len(f.found) < f.need; {
		if err := f.skip(ctx); err != nil || f.from >= f.to {
			return err
		}
		// Whoever comes back must find it further on, however long that takes.
		if err := f.look(ctx); err != nil || f.to < start && time.Now().After(until) {
			return err
		}
	}
	return nil
}

const extent = `SELECT (SELECT MIN(hour) FROM hourly WHERE account_id = $1), (SELECT MAX(hour) FROM hourly WHERE account_id = $1)`

// extent is where anything can be: where the account has records, in the span
// of the query, not newer than the cursor.
func (f *finder) extent(ctx context.Context) error {
	var first, last sql.NullInt64
	err := f.store.db.Read().QueryRowContext(ctx, extent, f.query.Account).Scan(&first, &last)
	if err != nil || !first.Valid {
		return err
	}
	f.from, f.to = first.Int64*hourMicros, (last.Int64+1)*hourMicros
	in := spanOf(f.query)
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

// skip goes on to the next hour that can have a match, as far as the sums by
// hour know.
func (f *finder) skip(ctx context.Context) error {
	known := f.query
	known.Terms = slices.DeleteFunc(slices.Clone(known.Terms), func(t record.Term) bool {
		return !summed([]record.Term{t}, "")
	})
	if len(known.Terms) == 0 {
		return nil
	}
	first, end := hourOf(f.from), hourOf(f.to-1)+1
	w := f.store.of(known).within("hour", span{&first, &end})
	var hour sql.NullInt64
	err := f.store.db.Read().QueryRowContext(ctx,
		`SELECT MAX(hour) FROM hourly WHERE `+w.text.String(), w.args...).Scan(&hour)
	if err != nil {
		return err
	}
	if f.to = min(f.to, (hour.Int64+1)*hourMicros); !hour.Valid {
		f.to = f.from
	}
	return nil
}

// look takes what is in the next window. If that takes long, the next one is
// narrower.
func (f *finder) look(ctx context.Context) error {
	start := max(f.from, f.to-f.width)
	window, began := span{&start, &f.to}, time.Now()
	brief, cancel := context.WithTimeout(ctx, f.store.lookLimit(f.width))
	defer cancel()
	found, err := f.in(brief, window)
	switch {
	case errors.Is(err, errMany):
		f.near, f.width = true, f.width/2
		return nil
	case err != nil && brief.Err() != nil && ctx.Err() == nil && f.width > leastWidth:
		f.near, f.width = false, max(f.width/8, leastWidth)
		return nil
	case err != nil:
		return err
	}
	f.found = append(f.found, found[:min(len(found), f.need-len(f.found))]...)
	looked := f.to - start
	f.to = start
	if f.near = f.near && f.width > hourMicros; f.near {
		f.width /= 2
	} else {
		f.width = f.enough(next(f.width, time.Since(began)), looked, len(found))
	}
	return nil
}

// enough narrows the next window to where, after so many in the last one, twice
// of what is missing may be: each match in it is read.
func (f *finder) enough(width, looked int64, found int) int64 {
	if missing := f.need - len(f.found); missing < 4*found {
		return min(width, max(looked/int64(found)*2*int64(missing), hourMicros))
	}
	return width
}

func (f *finder) in(ctx context.Context, window span) ([]record.Record, error) {
	if f.width <= hourMicros || f.store.db.Dialect == sqldb.SQLite && !f.pointed() {
		return f.ordered(ctx, window)
	}
	return f.sieved(ctx, window)
}

const (
	// leastWidth is how narrow a window may become.
	leastWidth = 1_000_000
	// lookLimit is how long one look may take: so that a window of an hour has
	// become one of a second before a reader's time is up.
	lookLimit = 700 * time.Millisecond
)

// pointed reports whether the query names ids, which indexes find anywhere.
func (f *finder) pointed() bool {
	other := func(t record.Test) bool { return t.Op != record.Equal }
	return slices.ContainsFunc(f.query.Terms, func(t record.Term) bool {
		return t.Field == record.ByID && !t.Not && !slices.ContainsFunc(t.Tests, other)
	})
}

// next is how wide the next window is, after one of that width took that long.
func next(width int64, took time.Duration) int64 {
	switch {
	case took < 40*time.Millisecond:
		return width * 8
	case took < 150*time.Millisecond:
		return width * 2
	case took < 400*time.Millisecond:
		return width
	}
	return max(width/2, leastWidth)
}
