package store

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

type failureIDs struct {
	ids         [][]byte
	first, last int64 // the first and the last day of the ids
}

// findFailures returns the ids of the requests in the time range that have an error
// containing the text. It ignores the terms of the query. It reads only the index of
// failures, which is fast for rare texts. If there are more than maxUnordered matches,
// it returns nil, and the search uses the terms first. If the query has no terms
// either, findFailures returns errTooManyMatches.
func (f *finder) findFailures(ctx context.Context, in timeRange, text string) (*failureIDs, error) {
	var found failureIDs
	statement, args := f.failuresStatement(in, text)
	err := sqldb.EachRow(ctx, f.store.db.Replica(), statement, args, found.scanRow)
	switch {
	case err != nil:
		return nil, err
	case len(found.ids) <= maxUnordered:
		return &found, nil
	case len(f.query.Terms) == 0:
		return nil, errTooManyMatches
	}
	return nil, nil
}

// failuresStatement uses only columns of the failure index. With another column,
// Postgres would have to read the table.
func (f *finder) failuresStatement(in timeRange, text string) (string, []any) {
	alone := *f
	alone.query.Terms = nil
	if !f.query.Sort.IsNewestFirst() {
		alone.query.Sort, alone.after = record.Sort{}, nil
	}
	w := alone.buildWhere(in)
	w.text.WriteString(" AND ")
	w.writeFailure(text)
	return `SELECT id FROM requests WHERE ` + w.text.String() + ` LIMIT ` + strconv.Itoa(maxUnordered+1), w.args
}

func (f *failureIDs) scanRow(row *sql.Rows) error {
	var raw []byte
	if err := row.Scan(&raw); err != nil {
		return err
	}
	id, err := uuid.FromBytes(raw)
	if err != nil {
		return err
	}
	day := record.DayOfID(id)
	if len(f.ids) == 0 {
		f.first, f.last = day, day
	}
	f.ids, f.first, f.last = append(f.ids, raw), min(f.first, day), max(f.last, day)
	return nil
}

// writeCondition writes the condition that a row has one of the ids. It writes
// the days as a range: for a list of days, Postgres would look up every id on
// every day.
func (f *failureIDs) writeCondition(w *whereClause) {
	if len(f.ids) == 0 {
		w.text.WriteString("1 = 0")
		return
	}
	w.writeAnyOf("id", f.ids)
	w.addCondition("day >= ", f.first)
	w.addCondition("day <= ", f.last)
}
