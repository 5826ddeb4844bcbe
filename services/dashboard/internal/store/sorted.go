package store

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// defaultMaxSorted is how many matches of a filter are read to sort them. For a page of a hundred
// of a million requests, more matches are faster found in the index of the order.
const defaultMaxSorted = 10_000

// fewTimeout limits the attempt to read all matches of a filter. After it, the search
// reads the requests in their order until the page is full.
const fewTimeout = 250 * time.Millisecond

// sortedPage returns a page in another order than newest first. A filter with few matches
// is read completely and sorted, because the index of the order would have to be read far to
// find them. Otherwise the index of the order is read, and the matches are frequent in it.
func (s *Store) sortedPage(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	f := &finder{store: s, query: q, after: after, wanted: limit + 1}
	found, err := f.readFewMatches(ctx)
	if errors.Is(err, errTooManyMatches) {
		found, err = f.readSorted(ctx)
	}
	if err != nil {
		return record.Page{}, toReadError(err)
	}
	page := record.Page{Items: found}
	if len(found) > limit {
		page.Items = found[:limit]
		page.Next = q.Sort.CursorAfter(&page.Items[limit-1])
	}
	return page, nil
}

// readFewMatches returns all matches in order, or errTooManyMatches if they are many or take
// too long to read.
func (f *finder) readFewMatches(ctx context.Context) ([]record.Record, error) {
	if len(f.query.Terms) == 0 {
		return nil, errTooManyMatches
	}
	if many, err := f.hasManyMatches(ctx); err != nil || many {
		return nil, cmp.Or(err, errTooManyMatches)
	}
	brief, cancel := context.WithTimeout(ctx, fewTimeout)
	defer cancel()
	found, err := f.readUnordered(brief, queryRange(f.query))
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		return nil, errTooManyMatches
	}
	return found, err
}

// hasManyMatches reports whether the aggregates show that there are more than Store.maxSorted matches.
func (f *finder) hasManyMatches(ctx context.Context) (bool, error) {
	if !coveredByAggregates(f.query.Terms, "") {
		return false, nil
	}
	counts, err := f.store.countAggregates(ctx, record.FacetQuery{Query: f.query, Field: record.ByOutcome})
	var matches int64
	for _, n := range counts {
		matches += n
	}
	return matches > int64(f.store.maxSorted), err
}

// fewRequests is how many requests of a range are sorted by number without an index.
const fewRequests = 20_000

// readSorted reads the first matches in their order. Postgres knows the distribution of the values
// and chooses the index: that of the order, or that of the time if the range has few requests.
// For SQLite, which does not know it, the number of requests decides.
func (f *finder) readSorted(ctx context.Context) ([]record.Record, error) {
	if _, byNumber := f.sortValue(); byNumber && f.store.db.Dialect == sqldb.SQLite {
		requests, err := f.countRequests(ctx, queryRange(f.query))
		if err != nil {
			return nil, err
		}
		f.ignoresTimeIndex = requests > fewRequests
	}
	return f.readOrdered(ctx, queryRange(f.query))
}

// sortValue returns the SQL of the number that the query sorts by, and the condition that a
// request has it. ok is false if the query sorts by time.
func (f *finder) sortValue() (n numericField, ok bool) {
	n, ok = numericFields[f.query.Sort.By]
	return n, ok
}

// sortColumn returns the column of the number that the query sorts by, for selectMatches.
func (f *finder) sortColumn() string {
	if n, ok := f.sortValue(); ok {
		return ", " + n.value + " AS sort_value"
	}
	return ""
}

func (f *finder) direction() string {
	if f.query.Sort.Ascending {
		return " ASC"
	}
	return " DESC"
}

// order returns the order of requests.
func (f *finder) order() string {
	order := "time_us" + f.direction() + ", id" + f.direction()
	if n, ok := f.sortValue(); ok {
		return n.value + f.direction() + ", " + order
	}
	return order
}

// orderOfMatches returns the order of the rows of selectMatches.
func (f *finder) orderOfMatches() string {
	order := "time_us" + f.direction() + ", id" + f.direction()
	if _, ok := f.sortValue(); ok {
		return "sort_value" + f.direction() + ", " + order
	}
	return order
}

// addSortConditions adds the conditions that a request has the number that the query sorts
// by, and that it comes after the cursor.
func (f *finder) addSortConditions(w *whereClause) {
	n, sorted := f.sortValue()
	if sorted && n.known != "" {
		w.text.WriteString(" AND " + strings.TrimSuffix(n.known, " AND "))
	}
	if f.after == nil {
		return
	}
	operator := "<"
	if f.query.Sort.Ascending {
		operator = ">"
	}
	at := f.after.Time.UnixMicro()
	if !sorted {
		w.addCondition("time_us "+operator+"= ", at)
		w.addCondition("(time_us, id) "+operator+" (", at)
	} else {
		w.addCondition(n.value+" "+operator+"= ", f.after.Value)
		w.addCondition("("+n.value+", time_us, id) "+operator+" (", f.after.Value)
		w.text.WriteString(", ")
		w.writeArg(at)
	}
	w.text.WriteString(", ")
	w.writeArg(f.after.ID[:])
	w.text.WriteString(")")
}
