package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// preparedBatch is a record.Batch with its encoded rows. All rows except the content
// are encoded before the transaction starts, to keep the transaction short.
type preparedBatch struct {
	records     []*record.Record
	requests    [][]any
	content     func() map[string][]any // waits for the compressed content and returns its rows by id
	deadLetters [][]any
	record.Batch
	now time.Time
	// copies means that the records are copied into Postgres. This fails if one of them is stored already.
	copies bool
}

// Insert stores a batch in one transaction: the records, the dead letters, the
// aggregates, the sums of sessions and rollouts, the evidence, the committed ranges and the feed entry. Insert ignores records that are
// already stored and does not add them to the aggregates again. A batch may therefore
// be repeated, even on several instances at once. The error wraps record.ErrRejected if
// the data is invalid.
func (s *Store) Insert(ctx context.Context, b record.Batch) error {
	ready, err := s.prepareBatch(b)
	if err != nil {
		return err
	}
	if err := s.CreatePartitionsFor(ctx, b.Records); err != nil {
		return fmt.Errorf("create partitions: %w", err)
	}
	ready.copies = s.db.CanCopy()
	for attempt := 1; ; attempt++ {
		err = s.db.WriteOn(ctx, func(tx *sql.Tx, conn *sql.Conn) error { return s.storeBatch(ctx, tx, conn, ready) })
		switch {
		case ready.copies && sqldb.IsUniqueViolation(err):
			ready.copies = false
		case attempt >= maxInsertAttempts || !isContention(err):
			return markRejected(err)
		}
	}
}

func (s *Store) prepareBatch(b record.Batch) (*preparedBatch, error) {
	ready := &preparedBatch{records: sortUnique(b.Records), Batch: b, now: s.now()}
	for _, r := range ready.records {
		row, err := requestRow(r)
		if err != nil {
			return nil, err
		}
		ready.requests = append(ready.requests, row)
	}
	ready.deadLetters, ready.content = deadLetterRows(b.DeadLetters, ready.now), s.compressContent(ready.records)
	return ready, nil
}

// compressContent compresses content in the background while the database
// inserts the requests. The returned function waits for the result.
func (s *Store) compressContent(all []*record.Record) func() map[string][]any {
	rows, done := map[string][]any{}, make(chan struct{})
	go func() {
		defer close(done)
		for _, r := range all {
			if r.Content != nil {
				rows[string(r.ID[:])] = s.contentRow(r)
			}
		}
	}()
	return func() map[string][]any {
		<-done
		return rows
	}
}

// storeBatch runs the steps of the transaction. All instances lock the tables in
// this order, and the rows of a table in key order. Otherwise two instances could
// deadlock.
func (s *Store) storeBatch(ctx context.Context, tx *sql.Tx, conn *sql.Conn, b *preparedBatch) error {
	if err := s.setTimeouts(ctx, tx); err != nil {
		return err
	}
	stored, err := s.storeRequests(ctx, tx, conn, b)
	if err != nil {
		return err
	}
	if _, err := deadLettersTable.Insert(ctx, tx, s.db.Dialect, b.deadLetters); err != nil {
		return err
	}
	if err := deleteReplayed(ctx, tx, b.Replayed); err != nil {
		return err
	}
	hours := aggregateByHour(stored)
	for _, t := range []aggregateTable{hourly, daily} {
		if _, err := t.Insert(ctx, tx, s.db.Dialect, t.buildRows(hours)); err != nil {
			return err
		}
	}
	groups := groupByHour(stored)
	for _, t := range []groupTable{groupHourly, groupDaily} {
		if _, err := t.Insert(ctx, tx, s.db.Dialect, t.buildRows(groups)); err != nil {
			return err
		}
	}
	if _, err := sessionsTable.Insert(ctx, tx, s.db.Dialect, sessionRows(stored)); err != nil {
		return err
	}
	if _, err := rolloutTable.Insert(ctx, tx, s.db.Dialect, rolloutRows(stored, b.Unexamined)); err != nil {
		return err
	}
	if err := s.storeEvidence(ctx, tx, b, stored); err != nil {
		return err
	}
	if _, err := comparisonsTable.Insert(ctx, tx, s.db.Dialect, comparisonRows(b.Comparisons)); err != nil {
		return err
	}
	if err := s.commitRanges(ctx, tx, b.Committed); err != nil {
		return err
	}
	return s.appendFeed(ctx, tx, stored, b.now)
}

// storeRequests stores the records with their content, and returns those that were not stored before.
// It first expects that all are new, because only a batch that is delivered again has others.
func (s *Store) storeRequests(ctx context.Context, tx *sql.Tx, conn *sql.Conn, b *preparedBatch) (stored []*record.Record, err error) {
	if b.copies {
		if err := requestsTable.Copy(ctx, conn, b.requests); err != nil {
			return nil, err
		}
		return b.records, contentTable.Copy(ctx, conn, b.contentRows(b.records))
	}
	fresh, err := requestsTable.Insert(ctx, tx, s.db.Dialect, b.requests)
	if err != nil {
		return nil, err
	}
	for _, r := range b.records {
		if fresh[string(r.ID[:])] {
			stored = append(stored, r)
		}
	}
	// A repeated batch must not restore deleted content.
	_, err = contentTable.Insert(ctx, tx, s.db.Dialect, b.contentRows(stored))
	return stored, err
}

// contentRows returns the content of records.
func (b *preparedBatch) contentRows(of []*record.Record) (content [][]any) {
	rows := b.content()
	for _, r := range of {
		if row := rows[string(r.ID[:])]; row != nil {
			content = append(content, row)
		}
	}
	return content
}

const setTimeoutsSQL = `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`

func (s *Store) setTimeouts(ctx context.Context, tx *sql.Tx) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	if _, err := tx.ExecContext(ctx, setTimeoutsSQL, milliseconds(s.timeouts.Lock), milliseconds(s.timeouts.Statement)); err != nil {
		return fmt.Errorf("set transaction timeouts: %w", err)
	}
	return nil
}

// maxInsertAttempts is how often Insert tries a transaction that conflicts with
// another transaction.
const maxInsertAttempts = 3

// isContention reports whether Postgres aborted the transaction because of a
// deadlock or a serialization conflict.
func isContention(err error) bool {
	const serialization, deadlock = "40001", "40P01"
	return hasCode(err, serialization) || hasCode(err, deadlock)
}

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}
