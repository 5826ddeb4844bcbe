package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// batch is a record.Batch made ready, so that a transaction only stores.
type batch struct {
	records  []*record.Record
	requests [][]any
	content  func() map[string][]any // by id
	letters  [][]any
	record.Batch
	now time.Time
}

// Insert stores a batch in one transaction: the records, what they add to the
// sums, the proof, and a position in the feed. What is stored already is left
// as it is and counts for nothing, so the same batch may come any number of
// times, and to several instances at once. ErrRefused is in the error's chain
// when the data is at fault.
func (s *Store) Insert(ctx context.Context, b record.Batch) error {
	ready, err := s.ready(b)
	if err != nil {
		return err
	}
	if err := s.partition(ctx, b.Records); err != nil {
		return fmt.Errorf("make partitions: %w", err)
	}
	for try := 1; ; try++ {
		err = s.db.Write(ctx, func(tx *sql.Tx) error { return s.store(ctx, tx, ready) })
		if try == maxTries || !contended(err) {
			return classify(err)
		}
	}
}

func (s *Store) ready(b record.Batch) (*batch, error) {
	ready := &batch{records: each(b.Records), Batch: b, now: s.now()}
	for _, r := range ready.records {
		row, err := requestRow(r)
		if err != nil {
			return nil, err
		}
		ready.requests = append(ready.requests, row)
	}
	ready.letters, ready.content = letterRows(b.Dead, ready.now), s.contentRows(ready.records)
	return ready, nil
}

// contentRows compresses while the database is busy with the requests; the
// answer waits for it.
func (s *Store) contentRows(all []*record.Record) func() map[string][]any {
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

// store is the transaction. Every instance takes what it locks in this order,
// and within a table in the order of the keys, so that none waits for another
// that waits for it.
func (s *Store) store(ctx context.Context, tx *sql.Tx, b *batch) error {
	if err := s.limit(ctx, tx); err != nil {
		return err
	}
	fresh, err := s.insert(ctx, tx, requestsTable, b.requests)
	if err != nil {
		return err
	}
	stored, content := b.of(fresh)
	if _, err := s.insert(ctx, tx, contentTable, content); err != nil {
		return err
	}
	if _, err := s.insert(ctx, tx, lettersTable, b.letters); err != nil {
		return err
	}
	if err := revive(ctx, tx, b.Revived); err != nil {
		return err
	}
	hours := addUp(stored)
	for _, t := range []sums{hourly, daily} {
		if _, err := s.insert(ctx, tx, t.table, t.rows(hours)); err != nil {
			return err
		}
	}
	if err := s.commit(ctx, tx, b.Committed); err != nil {
		return err
	}
	return s.feed(ctx, tx, stored, b.now)
}

// of is what is stored for the first time. Content goes with its request: what
// was deleted since must not come back because a batch does.
func (b *batch) of(fresh map[string]bool) (stored []*record.Record, content [][]any) {
	rows := b.content()
	for _, r := range b.records {
		if !fresh[string(r.ID[:])] {
			continue
		}
		stored = append(stored, r)
		if row := rows[string(r.ID[:])]; row != nil {
			content = append(content, row)
		}
	}
	return stored, content
}

const (
	// lockLimit and statementLimit end a transaction that waits in vain in the
	// server too, before the caller gives up and leaves it there.
	lockLimit      = 5 * time.Second
	statementLimit = 8 * time.Second

	setLimits = `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`
)

func (s *Store) limit(ctx context.Context, tx *sql.Tx) error {
	if s.db.Dialect != sqldb.Postgres {
		return nil
	}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	if _, err := tx.ExecContext(ctx, setLimits, milliseconds(s.lockLimit), milliseconds(statementLimit)); err != nil {
		return fmt.Errorf("limit the transaction: %w", err)
	}
	return nil
}

// maxTries is how often a transaction that another one stopped begins anew.
const maxTries = 3

// contended is whether Postgres ended the transaction so that another one could
// go on.
func contended(err error) bool {
	const serialization, deadlock = "40001", "40P01"
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == serialization || pg.Code == deadlock)
}
