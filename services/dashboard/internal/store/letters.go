package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const letterColumns = `SELECT producer, seq, received_us, reason, parked, schema, LENGTH(record)`

const newestLetters = letterColumns + `, NULL FROM dead_letters
	ORDER BY received_us DESC, producer, seq LIMIT $1`

// DeadLetters lists the newest, without what is in them.
func (s *Store) DeadLetters(ctx context.Context, limit int) ([]record.DeadLetter, error) {
	return s.letters(ctx, newestLetters, limit)
}

const lettersAfter = letterColumns + `, record FROM dead_letters
	WHERE (producer, seq) > ($1, $2) AND parked >= $3 ORDER BY producer, seq LIMIT $4`

// LettersAfter lists dead letters whole, in the order of their names; all of
// them, or those that are parked.
func (s *Store) LettersAfter(ctx context.Context, after record.LetterID, all bool, limit int) ([]record.DeadLetter, error) {
	return s.letters(ctx, lettersAfter, after.Producer, after.Seq, bit(!all), limit)
}

func (s *Store) letters(ctx context.Context, query string, args ...any) ([]record.DeadLetter, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, unavailable(err)
	}
	defer func() { _ = rows.Close() }()
	var all []record.DeadLetter
	for rows.Next() {
		d, err := scanLetter(rows)
		if err != nil {
			return nil, unavailable(err)
		}
		all = append(all, d)
	}
	if err := rows.Err(); err != nil {
		return nil, unavailable(err)
	}
	return all, nil
}

func scanLetter(rows *sql.Rows) (record.DeadLetter, error) {
	var d record.DeadLetter
	var received, parked int64
	err := rows.Scan(&d.ID.Producer, &d.ID.Seq, &received, &d.Reason, &parked, &d.Schema, &d.Size, &d.Entry.Record)
	d.Entry.Producer, d.Entry.Seq = d.ID.Producer, uint64(d.ID.Seq)
	d.Received, d.Parked = time.UnixMicro(received).UTC(), parked == 1
	return d, err
}

const (
	dropBroken  = `DELETE FROM dead_letters WHERE parked = 0 AND received_us < $1`
	stripLetter = `UPDATE dead_letters SET record = $3 WHERE producer = $1 AND seq = $2`
	// stripPage is how many letters are looked at in one go.
	stripPage = 100
)

// DropLetterContent removes what dead letters that came before the day of before
// hold of requests' content: the broken ones whole, as nobody can tell what is in
// them, and from the parked ones the content. Today stays in any case.
func (s *Store) DropLetterContent(ctx context.Context, before time.Time) error {
	old := time.Unix(min(dayOf(before), dayOf(s.now()))*daySeconds, 0)
	if _, err := s.remove(ctx, dropBroken, old.UnixMicro()); err != nil {
		return fmt.Errorf("drop dead letters: %w", err)
	}
	for after := (record.LetterID{}); ; {
		page, err := s.LettersAfter(ctx, after, false, stripPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, d := range page {
			if err := s.strip(ctx, d, old); err != nil {
				return fmt.Errorf("strip a dead letter: %w", err)
			}
		}
		after = page[len(page)-1].ID
	}
}

func (s *Store) strip(ctx context.Context, d record.DeadLetter, old time.Time) error {
	if !d.Received.Before(old) {
		return nil
	}
	bare := codec.Strip(d.Entry.Record)
	if len(bare) == len(d.Entry.Record) {
		return nil
	}
	_, err := s.remove(ctx, stripLetter, d.ID.Producer, d.ID.Seq, bare)
	return err
}

const dropLetter = `DELETE FROM dead_letters WHERE producer = $1 AND seq = $2`

// revive takes out the dead letters that are among the records now.
func revive(ctx context.Context, tx *sql.Tx, all []record.LetterID) error {
	sorted := slices.SortedFunc(slices.Values(all), record.LetterID.Compare)
	for _, id := range sorted {
		if _, err := tx.ExecContext(ctx, dropLetter, id.Producer, id.Seq); err != nil {
			return fmt.Errorf("remove a dead letter: %w", err)
		}
	}
	return nil
}
