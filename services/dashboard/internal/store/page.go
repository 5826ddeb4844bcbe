package store

import (
	"context"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Page returns at most limit records after the cursor, in the order of the query, without
// content. A nil cursor starts at the first record. If the order is newest first and the
// search runs out of time, the page has Next and fewer than limit records, possibly none.
// An insert between two calls never makes the next page repeat a record, or skip one that
// was stored before.
func (s *Store) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	if !q.Sort.IsNewestFirst() {
		return s.sortedPage(ctx, q, after, limit)
	}
	return s.searchPage(ctx, q, after, limit, s.timeouts.Search)
}

func (s *Store) searchPage(ctx context.Context, q record.Query, after *record.Cursor, limit int, timeout time.Duration) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	// Fetch one extra record to learn whether there is a next page.
	f := &finder{store: s, query: q, after: after, wanted: limit + 1}
	var err error
	if len(q.Terms) == 0 {
		f.found, err = f.readOrdered(ctx, queryRange(q))
	} else {
		err = f.search(ctx, time.Now().Add(timeout))
	}
	if err != nil {
		return record.Page{}, toReadError(err)
	}
	page := record.Page{Items: f.found}
	switch {
	case len(page.Items) > limit:
		page.Items = page.Items[:limit]
		page.Next = record.CursorAfter(&page.Items[limit-1])
	case f.from < f.to:
		page.Next = &record.Cursor{Time: time.UnixMicro(f.to).UTC()}
	}
	return page, nil
}

// readOrdered reads the newest matches until enough records are found.
func (f *finder) readOrdered(ctx context.Context, in timeRange) ([]record.Record, error) {
	statement, args := f.orderedStatement(in)
	return queryRecords(ctx, f.store.db.Replica(), statement, args)
}

func (f *finder) orderedStatement(in timeRange) (string, []any) {
	w := f.buildWhere(in).addDays(in)
	from, order := "requests", f.order()
	if label, ok := f.indexedLabel(); ok && f.query.Sort.IsNewestFirst() {
		from, order = w.joinLabels(f.query.Account, label, in)
	}
	return `SELECT record FROM ` + from + ` WHERE ` + w.text.String() + ` ORDER BY ` + order + ` LIMIT ` + strconv.Itoa(f.wanted-len(f.found)), w.args
}

func (f *finder) buildWhere(in timeRange) *whereClause {
	column := "time_us"
	if f.ignoresTimeIndex {
		column = "+time_us" // an expression has no index
	}
	w := f.store.newWhereWithNames(f.query, f.names).addRange(column, in)
	if !f.query.Sort.IsNewestFirst() {
		f.addSortConditions(w)
		return w
	}
	if f.after != nil {
		at := f.after.Time.UnixMicro()
		w.addCondition("time_us <= ", at)
		w.addCondition("(time_us, id) < (", at)
		w.text.WriteString(", ")
		w.writeArg(f.after.ID[:])
		w.text.WriteString(")")
	}
	return w
}
