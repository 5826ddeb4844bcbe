package ingest

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// DeadLetterStore is a ledger that can also list its dead letters.
type DeadLetterStore interface {
	DeadLettersAfter(ctx context.Context, after record.DeadLetterID, all bool, limit int) ([]record.DeadLetter, error)
	Ledger
}

// replayPageSize is the number of dead letters per transaction.
const replayPageSize = 100

// ReplayDeadLetters tries to store dead letters again. If all is false, it tries
// only the parked ones: those whose schema was too new when they arrived. A dead
// letter that can now be decoded becomes a record or feedback, and the dead letter is deleted
// in the same transaction. done counts the dead letters that were stored. left
// counts those that were tried and remain. Several instances may call it at the
// same time.
func ReplayDeadLetters(ctx context.Context, from DeadLetterStore, all bool) (done, left int, err error) {
	var after record.DeadLetterID
	for {
		page, err := from.DeadLettersAfter(ctx, after, all, replayPageSize)
		if err != nil || len(page) == 0 {
			return done, left, err
		}
		n, err := storeReadable(ctx, from, page)
		if err != nil {
			return done, left, fmt.Errorf("replay dead letters: %w", err)
		}
		done, left = done+n, left+len(page)-n
		after = page[len(page)-1].ID
	}
}

// storeReadable stores the dead letters that can be decoded and returns how many
// it stored. A dead letter whose data the store rejects stays a dead letter.
func storeReadable(ctx context.Context, to Ledger, page []record.DeadLetter) (done int, err error) {
	var all []readableLetter
	for _, d := range page {
		if e, err := codec.DecodeEntry(d.Entry.Record); err == nil {
			all = append(all, readableLetter{e, d.ID})
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	store := func(some []readableLetter) error {
		var b record.Batch
		for _, one := range some {
			addEntry(&b, one.entry)
			b.Replayed = append(b.Replayed, one.letter)
		}
		err := to.Insert(ctx, b)
		if err == nil {
			done += len(some)
		}
		return err
	}
	err = applyOrBisect(all, store, func(readableLetter, error) error { return nil })
	return done, err
}

// readableLetter is a dead letter that can now be decoded.
type readableLetter struct {
	entry  codec.Entry
	letter record.DeadLetterID
}
