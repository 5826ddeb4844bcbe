package store

import (
	"context"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// searchLimit is how long a page is looked for before what there is of it is
// handed over, with the place to go on from.
const searchLimit = 2 * time.Second

// Page returns at most limit records that come after the cursor, newest first,
// without their content. A nil cursor starts. It may return fewer, even none,
// and a Next: then a filter matches so little that the search has not come
// further yet. What is stored meanwhile moves nothing that a cursor has passed.
func (s *Store) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	return s.page(ctx, q, after, limit, searchLimit)
}

func (s *Store) page(ctx context.Context, q record.Query, after *record.Cursor, limit int, patience time.Duration) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	// One more than asked for tells whether there is a next page.
	f := &finder{store: s, query: q, after: after, need: limit + 1}
	var err error
	if len(q.Terms) == 0 {
		f.found, err = f.ordered(ctx, spanOf(q))
	} else {
		err = f.search(ctx, time.Now().Add(patience))
	}
	if err != nil {
		return record.Page{}, unread(err)
	}
	page := record.Page{Items: f.found}
	switch {
	case len(page.Items) > limit:
		page.Items = page.Items[:limit]
		page.Next = record.After(&page.Items[limit-1])
	case f.from < f.to:
		page.Next = &record.Cursor{Time: time.UnixMicro(f.to).UTC()}
	}
	return page, nil
}

// ordered reads rows in the order in which they are shown, until there are
// enough.
func (f *finder) ordered(ctx context.Context, in span) ([]record.Record, error) {
	w := f.where(in)
	return askRecords(ctx, f.store.db.Read(), `SELECT record FROM requests WHERE `+w.text.String()+
		` ORDER BY time_us DESC, id DESC LIMIT `+strconv.Itoa(f.need-len(f.found)), w.args)
}

// where has the terms, the span, and the place after which the page begins.
func (f *finder) where(in span) *where {
	w := f.store.ofNamed(f.query, f.names).within("time_us", in)
	if f.after != nil {
		at := f.after.Time.UnixMicro()
		w.and("time_us <= ", at)
		w.and("(time_us, id) < (", at)
		w.text.WriteString(", ")
		w.arg(f.after.ID[:])
		w.text.WriteString(")")
	}
	return w
}
