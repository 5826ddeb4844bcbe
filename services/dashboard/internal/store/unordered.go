package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxUnordered is the maximum number of matches that an unordered read returns.
const maxUnordered = 1000

// errTooManyMatches means that a time window has more than maxUnordered matches.
// The search then tries a smaller window.
var errTooManyMatches = errors.New("too many matches for an unordered read")

// forceBitmapScan makes the Postgres planner use bitmap scans of the BRIN index.
// The planner avoids them for a small LIMIT, because a bitmap scan reads the index
// completely before it returns the first row.
const forceBitmapScan = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

// readUnordered reads all matches in a time window in any order and sorts them
// afterwards. It returns errTooManyMatches above maxUnordered matches.
func (f *finder) readUnordered(ctx context.Context, in timeRange) ([]record.Record, error) {
	return f.readMatches(ctx, in, f.mostMatches()+1)
}

// readMatches reads at most limit matches in a time window, not necessarily the newest, and sorts
// them.
func (f *finder) readMatches(ctx context.Context, in timeRange, limit int) ([]record.Record, error) {
	if f.store.db.Dialect == sqldb.SQLite {
		w := f.buildWhere(in)
		return f.queryUnordered(ctx, f.store.db.Replica(), f.selectMatches()+w.text.String()+limitRows(limit), w.args)
	}
	statement, args, err := f.buildMatchStatement(ctx, in, limit)
	if err != nil {
		return nil, err
	}
	tx, err := f.store.db.Replica().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, forceBitmapScan); err != nil {
		return nil, err
	}
	return f.queryUnordered(ctx, tx, statement, args)
}

// selectMatches returns the start of a statement that reads matches and what orders them.
func (f *finder) selectMatches() string {
	return `SELECT record, time_us, id` + f.sortColumn() + ` FROM requests WHERE `
}

// mostMatches returns how many matches an unordered read returns or sorts. One more row shows that
// there are too many matches.
func (f *finder) mostMatches() int {
	if f.query.Sort.IsNewestFirst() {
		return maxUnordered
	}
	return f.store.maxSorted
}

func limitRows(n int) string { return ` LIMIT ` + strconv.Itoa(n) }

func (f *finder) queryUnordered(ctx context.Context, db sqldb.Querier, statement string, args []any) ([]record.Record, error) {
	statement = `SELECT record, COUNT(*) OVER () FROM (` + statement + `) matches ORDER BY ` + f.orderOfMatches()
	if !f.query.Sort.IsNewestFirst() {
		statement += ` LIMIT ` + strconv.Itoa(f.wanted)
	}
	matches := 0
	found, err := sqldb.QueryAll(ctx, db, statement, args, func(rows *sql.Rows) (record.Record, error) {
		var raw []byte
		if err := rows.Scan(&raw, &matches); err != nil || matches > f.mostMatches() {
			return record.Record{}, cmp.Or(err, errTooManyMatches)
		}
		r, err := codec.Decode(raw)
		if err != nil {
			return record.Record{}, err
		}
		return *r, nil
	})
	return found, err
}

// buildMatchStatement returns a statement that reads at most limit matches. It is one SELECT or, for free text, a UNION with one
// branch per condition of freeTextConditions. For conditions that are joined with
// OR, Postgres would use no index.
func (f *finder) buildMatchStatement(ctx context.Context, in timeRange, limit int) (string, []any, error) {
	if err := cmp.Or(f.resolveNames(ctx), f.findRareTerms(ctx), f.findNameSets(ctx)); err != nil {
		return "", nil, err
	}
	at := slices.IndexFunc(f.query.Terms, func(t record.Term) bool { return t.Field == record.ByText && !t.Not })
	if at < 0 {
		w := f.buildWhere(in).addDays(in).addLabelIndex(f.indexedTerms).addNameSets(f.nameSets)
		return f.selectMatches() + w.text.String() + limitRows(limit), w.args, nil
	}
	text := f.query.Terms[at].Tests[0].Text
	rest := *f
	rest.query.Terms = slices.Delete(slices.Clone(f.query.Terms), at, at+1)
	known, err := rest.findFailures(ctx, in, text)
	if err != nil {
		return "", nil, err
	}
	w := rest.buildWhere(in).addDays(in).addLabelIndex(f.indexedTerms).addNameSets(f.nameSets)
	w.failures = known
	conditions := w.text.String()
	var all []string
	for _, write := range w.freeTextConditions(text) {
		w.text.Reset()
		w.text.WriteString(conditions + " AND (")
		write()
		all = append(all, `(`+f.selectMatches()+w.text.String()+`)`+limitRows(limit)+`)`)
	}
	return strings.Join(all, ` UNION `), w.args, nil
}
