package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const deadLetterColumns = `SELECT producer, seq, received_us, reason, parked, schema, LENGTH(record)`

const newestDeadLetters = deadLetterColumns + `, NULL FROM dead_letters
	ORDER BY received_us DESC, producer, seq LIMIT $1`

// DeadLetters lists the newest dead letters without their encoded records.
func (s *Store) DeadLetters(ctx context.Context, limit int) ([]record.DeadLetter, error) {
	return s.queryDeadLetters(ctx, newestDeadLetters, limit)
}

const deadLettersAfter = deadLetterColumns + `, record FROM dead_letters
	WHERE (producer, seq) > ($1, $2) AND parked >= $3 ORDER BY producer, seq LIMIT $4`

// DeadLettersAfter lists the dead letters after an id, ordered by id, with their
// encoded records. If all is false, it lists only the parked ones: those whose
// schema was too new when they arrived.
func (s *Store) DeadLettersAfter(ctx context.Context, after record.DeadLetterID, all bool, limit int) ([]record.DeadLetter, error) {
	return s.queryDeadLetters(ctx, deadLettersAfter, after.Producer, after.Seq, toBit(!all), limit)
}

func (s *Store) queryDeadLetters(ctx context.Context, query string, args ...any) ([]record.DeadLetter, error) {
	all, err := sqldb.QueryAll(ctx, s.db.Read(), query, args, scanDeadLetter)
	if err != nil {
		return nil, unavailableError(err)
	}
	return all, nil
}

func scanDeadLetter(rows *sql.Rows) (record.DeadLetter, error) {
	var d record.DeadLetter
	var received, parked int64
	err := rows.Scan(&d.ID.Producer, &d.ID.Seq, &received, &d.Reason, &parked, &d.Schema, &d.Size, &d.Entry.Record)
	d.Entry.Producer, d.Entry.Seq = d.ID.Producer, uint64(d.ID.Seq)
	d.Received, d.Parked = time.UnixMicro(received).UTC(), parked == 1
	return d, err
}

const (
	deleteUnparkedLetters = `DELETE FROM dead_letters WHERE parked = 0 AND received_us < $1`
	updateLetterBytes     = `UPDATE dead_letters SET record = $3 WHERE producer = $1 AND seq = $2`
	stripPageSize         = 100
)

// ApplyDeadLetterRetention removes captured content from dead letters received
// before the day of cutoff. It deletes dead letters that are not parked, because
// the content of a damaged record cannot be located. From parked ones it removes
// only the content. It never changes dead letters of today.
func (s *Store) ApplyDeadLetterRetention(ctx context.Context, cutoff time.Time) error {
	old := s.Cutoff(cutoff)
	if _, err := s.ExecLocked(ctx, deleteUnparkedLetters, old.UnixMicro()); err != nil {
		return fmt.Errorf("drop dead letters: %w", err)
	}
	for after := (record.DeadLetterID{}); ; {
		page, err := s.DeadLettersAfter(ctx, after, false, stripPageSize)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, d := range page {
			if err := s.stripDeadLetter(ctx, d, old); err != nil {
				return fmt.Errorf("strip dead letter: %w", err)
			}
		}
		after = page[len(page)-1].ID
	}
}

func (s *Store) stripDeadLetter(ctx context.Context, d record.DeadLetter, old time.Time) error {
	if !d.Received.Before(old) {
		return nil
	}
	bare := codec.StripContent(d.Entry.Record)
	if len(bare) == len(d.Entry.Record) {
		return nil
	}
	_, err := s.ExecLocked(ctx, updateLetterBytes, d.ID.Producer, d.ID.Seq, bare)
	return err
}

const deleteDeadLetter = `DELETE FROM dead_letters WHERE producer = $1 AND seq = $2`

func deleteReplayed(ctx context.Context, tx *sql.Tx, all []record.DeadLetterID) error {
	sorted := slices.SortedFunc(slices.Values(all), record.DeadLetterID.Compare)
	for _, id := range sorted {
		if _, err := tx.ExecContext(ctx, deleteDeadLetter, id.Producer, id.Seq); err != nil {
			return fmt.Errorf("delete dead letter: %w", err)
		}
	}
	return nil
}
