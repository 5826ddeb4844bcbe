package store

import (
	"context"
	"database/sql"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// failures are the ids of rows that failed.
type failures struct {
	ids         [][]byte
	first, last int64 // their days
}

// failures finds which rows in a window failed with a text, whatever the other
// terms, in the index of failures alone: few have a rare word, and those that
// have not need not be read. If many have it, nil leaves the search to the other
// terms, and without any it is errMany.
func (f *finder) failures(ctx context.Context, in span, text string) (*failures, error) {
	var found failures
	statement, args := f.failed(in, text)
	err := ask(ctx, f.store.db.Read(), statement, args, found.scan)
	switch {
	case err != nil:
		return nil, err
	case len(found.ids) <= sieveMost:
		return &found, nil
	case len(f.query.Terms) == 0:
		return nil, errMany
	}
	return nil, nil
}

// failed must name no column that the index has not.
func (f *finder) failed(in span, text string) (string, []any) {
	alone := *f
	alone.query.Terms = nil
	w := alone.where(in)
	w.text.WriteString(" AND ")
	w.failure(text)
	return `SELECT id FROM requests WHERE ` + w.text.String() + some, w.args
}

func (f *failures) scan(row *sql.Rows) error {
	var raw []byte
	if err := row.Scan(&raw); err != nil {
		return err
	}
	id, err := uuid.FromBytes(raw)
	if err != nil {
		return err
	}
	day := record.Day(id)
	if len(f.ids) == 0 {
		f.first, f.last = day, day
	}
	f.ids, f.first, f.last = append(f.ids, raw), min(f.first, day), max(f.last, day)
	return nil
}

// write is a range of days, as a list of them would be looked up with each id.
func (f *failures) write(w *where) {
	if len(f.ids) == 0 {
		w.text.WriteString("1 = 0")
		return
	}
	w.anyOf("id", f.ids)
	w.and("day >= ", f.first)
	w.and("day <= ", f.last)
}
