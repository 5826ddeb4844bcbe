package ingest

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Letters is where dead letters are.
type Letters interface {
	LettersAfter(ctx context.Context, after record.LetterID, all bool, limit int) ([]record.DeadLetter, error)
	Ledger
}

// replayPage is how many dead letters are tried in one transaction.
const replayPage = 100

// Replay tries dead letters again: those that were parked for a newer version,
// or all. One that can be read becomes a record and is a dead letter no more,
// both at once. It tells how many did and how many are left of those it tried.
// Several instances may do so at the same time.
func Replay(ctx context.Context, from Letters, all bool) (done, left int, err error) {
	var after record.LetterID
	for {
		page, err := from.LettersAfter(ctx, after, all, replayPage)
		if err != nil || len(page) == 0 {
			return done, left, err
		}
		n, err := revive(ctx, from, page)
		if err != nil {
			return done, left, fmt.Errorf("replay dead letters: %w", err)
		}
		done, left = done+n, left+len(page)-n
		after = page[len(page)-1].ID
	}
}

// revive stores what can be read, and tells how many. What the store refuses
// stays where it is.
func revive(ctx context.Context, to Ledger, page []record.DeadLetter) (done int, err error) {
	var all []revived
	for _, d := range page {
		if r, err := codec.Decode(d.Entry.Record); err == nil {
			all = append(all, revived{r, d.ID})
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	store := func(some []revived) error {
		var b record.Batch
		for _, one := range some {
			b.Records, b.Revived = append(b.Records, one.record), append(b.Revived, one.letter)
		}
		err := to.Insert(ctx, b)
		if err == nil {
			done += len(some)
		}
		return err
	}
	err = apart(all, store, func(revived, error) error { return nil })
	return done, err
}

// revived is a dead letter that can be read.
type revived struct {
	record *record.Record
	letter record.LetterID
}
