package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// sieveMost is how many matches a sieve takes up.
const sieveMost = 1000

// errMany means that a sieve is not needed: there is so much that some of it is
// soon found in order.
var errMany = errors.New("more than a sieve takes up")

// byStretches makes the planner use the index of what stretches of the table
// hold: that reads them in any order, which it thinks a waste when only a few
// rows are wanted.
const byStretches = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`

// sieved reads all matches in a window, or returns errMany.
func (f *finder) sieved(ctx context.Context, in span) ([]record.Record, error) {
	if f.store.db.Dialect == sqldb.SQLite {
		w := f.where(in)
		return sieve(ctx, f.store.db.Read(), matching+w.text.String()+some, w.args)
	}
	statement, args, err := f.sieves(ctx, in)
	if err != nil {
		return nil, err
	}
	tx, err := f.store.db.Read().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, byStretches); err != nil {
		return nil, err
	}
	return sieve(ctx, tx, statement, args)
}

const matching = `SELECT record, time_us, id FROM requests WHERE `

// some is one more than a sieve takes up.
var some = ` LIMIT ` + strconv.Itoa(sieveMost+1)

func sieve(ctx context.Context, db asker, statement string, args []any) ([]record.Record, error) {
	found, err := askRecords(ctx, db, `SELECT record FROM (`+statement+`) matches ORDER BY time_us DESC, id DESC`, args)
	if err == nil && len(found) > sieveMost {
		return nil, errMany
	}
	return found, err
}

// sieves is one statement, or, for free text, one for each way to have it: put
// together they would be taken for something that no index helps with.
func (f *finder) sieves(ctx context.Context, in span) (string, []any, error) {
	if err := f.resolve(ctx); err != nil {
		return "", nil, err
	}
	at := slices.IndexFunc(f.query.Terms, func(t record.Term) bool { return t.Field == record.ByText && !t.Not })
	if at < 0 {
		w := f.where(in)
		return matching + w.text.String() + some, w.args, nil
	}
	text := f.query.Terms[at].Tests[0].Text
	rest := *f
	rest.query.Terms = slices.Delete(slices.Clone(f.query.Terms), at, at+1)
	known, err := rest.failures(ctx, in, text)
	if err != nil {
		return "", nil, err
	}
	w := rest.where(in)
	w.failures = known
	conditions := w.text.String()
	var all []string
	for _, arm := range w.arms(text) {
		w.text.Reset()
		w.text.WriteString(conditions + " AND (")
		arm()
		all = append(all, `(`+matching+w.text.String()+`)`+some+`)`)
	}
	return strings.Join(all, ` UNION `), w.args, nil
}
